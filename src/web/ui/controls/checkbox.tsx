import type { ComponentProps, ReactNode } from "react";
import { classes } from "../classes.ts";
import styles from "./toggles.module.css";

export type CheckboxProps = Omit<
  ComponentProps<"input">,
  "onChange" | "checked" | "type" | "ref"
> & {
  /** If left out, `aria-label` names the checkbox. */
  label?: ReactNode;
  hint?: ReactNode;
  checked: boolean;
  /** Some are selected, but not all. */
  mixed?: boolean;
  onCheckedChange: (checked: boolean) => void;
};

export function Checkbox({
  label,
  hint,
  checked,
  mixed = false,
  onCheckedChange,
  className,
  ...rest
}: CheckboxProps) {
  const box = (
    <input
      {...rest}
      type="checkbox"
      className={classes(styles.box, !label && className)}
      checked={checked}
      ref={(input) => {
        if (input) input.indeterminate = mixed;
      }}
      onChange={(event) => onCheckedChange(event.target.checked)}
    />
  );
  if (!label) return box;
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the input is in {box}
    <label className={classes(styles.toggle, className)}>
      {box}
      <span className={styles.words}>
        <span className={styles.label}>{label}</span>
        {hint && <span className={styles.hint}>{hint}</span>}
      </span>
    </label>
  );
}
