import type { ComponentProps, ReactNode } from "react";
import { classes } from "../classes.ts";
import styles from "./toggles.module.css";

export type SwitchProps = Omit<ComponentProps<"input">, "onChange" | "checked" | "type"> & {
  label: ReactNode;
  hint?: ReactNode;
  checked: boolean;
  onCheckedChange: (checked: boolean) => void;
};

/** A setting that takes effect immediately. */
export function Switch({ label, hint, checked, onCheckedChange, className, ...rest }: SwitchProps) {
  return (
    <label className={classes(styles.toggle, className)}>
      <span className={styles.words}>
        <span className={styles.label}>{label}</span>
        {hint && <span className={styles.hint}>{hint}</span>}
      </span>
      <input
        {...rest}
        type="checkbox"
        role="switch"
        aria-checked={checked}
        className={styles.switch}
        checked={checked}
        onChange={(event) => onCheckedChange(event.target.checked)}
      />
    </label>
  );
}
