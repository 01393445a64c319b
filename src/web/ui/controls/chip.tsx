import { type LucideIcon, X } from "lucide-react";
import type { ComponentProps, ReactNode } from "react";
import { t } from "../../messages/t.ts";
import { classes } from "../classes.ts";
import styles from "./chip.module.css";

export type ChipProps = Omit<ComponentProps<"button">, "children"> & {
  children: ReactNode;
  icon?: LucideIcon;
  /** After the text, such as a picker's chevron. */
  endIcon?: LucideIcon;
  /** A toggle's state; undefined if the chip isn't a toggle. */
  selected?: boolean;
};

/** A pill that acts when pressed: a filter, a picker, a kind. */
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
  /** If given, the chip has a remove button, named by `removeLabel`. */
  onRemove?: () => void;
  removeLabel?: string;
  /** The chip's target has a problem, described in the tooltip. */
  isBroken?: boolean;
  tooltip?: string;
};

/** A pill without an action: a tag, an active filter. */
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
