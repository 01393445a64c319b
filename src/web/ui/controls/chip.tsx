import { type LucideIcon, X } from "lucide-react";
import type { ComponentProps, ReactNode } from "react";
import { t } from "../../messages/t.ts";
import { classes } from "../classes.ts";
import styles from "./chip.module.css";

export type ChipProps = Omit<ComponentProps<"button">, "children"> & {
  children: ReactNode;
  icon?: LucideIcon;
  /** After the words, as the chevron of a picker. */
  endIcon?: LucideIcon;
  /** A toggle's state; undefined when the chip is no toggle. */
  selected?: boolean;
};

/** A pill that does something when pressed: a filter, a picker, a kind. */
export function Chip({
  children,
  icon: Icon,
  endIcon: EndIcon,
  selected,
  className,
  type = "button",
  ...rest
}: ChipProps) {
  return (
    <button
      {...rest}
      type={type}
      aria-pressed={selected}
      className={classes(styles.chip, selected && styles.selected, className)}
    >
      {Icon && <Icon aria-hidden />}
      <span className={styles.text}>{children}</span>
      {EndIcon && <EndIcon aria-hidden />}
    </button>
  );
}

export type TagChipProps = {
  children: ReactNode;
  icon?: LucideIcon;
  /** Given, the chip ends in a cross that takes it away; `removeLabel` names it. */
  onRemove?: () => void;
  removeLabel?: string;
  /** What it stands for is in trouble; the tooltip says which. */
  isBroken?: boolean;
  tooltip?: string;
};

/** A pill that only says something: a tag, an active filter. */
export function TagChip({
  children,
  icon: Icon,
  onRemove,
  removeLabel,
  isBroken = false,
  tooltip,
}: TagChipProps) {
  return (
    <span
      className={classes(styles.chip, onRemove && styles.strong, isBroken && styles.broken)}
      data-tooltip={tooltip}
    >
      {Icon && <Icon aria-hidden />}
      <span className={styles.text}>{children}</span>
      {onRemove && (
        <button
          type="button"
          className={styles.remove}
          aria-label={removeLabel ?? t("ui.remove")}
          onClick={onRemove}
        >
          <X aria-hidden />
        </button>
      )}
    </span>
  );
}
