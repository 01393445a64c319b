import { Field, type FieldProps } from "./field.tsx";
import styles from "./file-field.module.css";

export type FileFieldProps = Pick<FieldProps, "label" | "hint"> & {
  /** File name endings and media types, as the browser wants them. */
  accept: string;
  onFile: (file: File | null) => void;
};

/** One file from the device, by the browser's own button. */
export function FileField({ label, hint, accept, onFile }: FileFieldProps) {
  return (
    <Field label={label} hint={hint}>
      {(control) => (
        <input
          {...control}
          className={styles.file}
          type="file"
          accept={accept}
          onChange={(event) => onFile(event.target.files?.[0] ?? null)}
        />
      )}
    </Field>
  );
}
