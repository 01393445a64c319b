import { CircleAlert } from "lucide-react";
import { type ReactNode, useId } from "react";
import styles from "./field.module.css";

/**
 * The attributes that a control takes from its field, so that screen readers read the label, hint
 * and error with it.
 */
export type FieldControl = {
  id: string;
  "aria-describedby"?: string;
  "aria-invalid"?: true;
  required?: true;
};

export type FieldProps = {
  label: ReactNode;
  hint?: ReactNode;
  /** The value's error, as a sentence. */
  error?: string | null;
  /** At the label's right: the value as a number, a count. */
  aside?: ReactNode;
  required?: boolean;
  /** Only for screen readers, if the context already shows the label. */
  isLabelHidden?: boolean;
  /** For controls that can't be labeled, such as a group; the label is then only its caption. */
  isGroup?: boolean;
  children: (control: FieldControl) => ReactNode;
};

/** A label with its control, hint and error. */
export function Field({
  label,
  hint,
  error,
  aside,
  required,
  isLabelHidden = false,
  isGroup = false,
  children,
}: FieldProps) {
  const id = useId();
  const hintId = `${id}-hint`;
  const errorId = `${id}-error`;
  const described = [hint ? hintId : "", error ? errorId : ""].filter(Boolean).join(" ");
  const control: FieldControl = {
    id,
    "aria-describedby": described || undefined,
    "aria-invalid": error ? true : undefined,
    required: required ? true : undefined,
  };
  const labelId = `${id}-label`;
  const content = (
    <>
      <div className={isLabelHidden ? styles.hiddenHead : styles.head}>
        {isGroup ? (
          <span id={labelId}>{label}</span>
        ) : (
          <label id={labelId} htmlFor={id}>
            {label}
          </label>
        )}
        {aside !== undefined && <span className={styles.aside}>{aside}</span>}
      </div>
      {children(control)}
      {hint && (
        <p id={hintId} className={styles.hint}>
          {hint}
        </p>
      )}
      {error && (
        <p id={errorId} className={styles.error} role="alert">
          <CircleAlert aria-hidden />
          {error}
        </p>
      )}
    </>
  );
  if (!isGroup) return <div className={styles.field}>{content}</div>;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset's legend can't share its line with the value at its right
    <div
      className={styles.field}
      role="group"
      aria-labelledby={labelId}
      aria-describedby={described || undefined}
    >
      {content}
    </div>
  );
}
