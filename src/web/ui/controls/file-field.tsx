import { Field, type FieldProps } from "./field.tsx";
import styles from "./file-field.module.css";

export type FileFieldProps = Pick<FieldProps, "label" | "hint"> & {
  /** File extensions and media types, in the browser's format. */
  accept: string;
  onFile: (file: File | null) => void;
};

/** Picks one file from the device with the browser's own button. */
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
