import type { LucideIcon } from "lucide-react";
import { useId } from "react";
import { classes } from "../classes.ts";
import styles from "./toggles.module.css";

export type SegmentedProps<Value extends string> = {
  /** The group's accessible name. */
  label: string;
  value: Value;
  onValueChange: (value: Value) => void;
  options: readonly { value: Value; label: string; icon?: LucideIcon; disabled?: boolean }[];
  className?: string;
};

/** One of a few visible options, as radio buttons, which support arrow keys and screen readers. */
export function Segmented<Value extends string>({
  label,
  value,
  onValueChange,
  options,
  className,
}: SegmentedProps<Value>) {
  const name = useId();
  return (
    <div role="radiogroup" aria-label={label} className={classes(styles.segmented, className)}>
      {options.map(({ value: option, label: text, icon: Icon, disabled }) => (
        <label key={option} className={styles.segment}>
          <input
            type="radio"
            name={name}
            checked={option === value}
            disabled={disabled}
            onChange={() => onValueChange(option)}
          />
          {Icon && <Icon aria-hidden />}
          <span className={styles.segmentText}>{text}</span>
        </label>
      ))}
    </div>
  );
}
