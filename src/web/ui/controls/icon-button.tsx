import type { LucideIcon } from "lucide-react";
import type { ComponentProps } from "react";
import { classes } from "../classes.ts";
import styles from "./button.module.css";

export type IconButtonProps = Omit<ComponentProps<"button">, "children" | "aria-label"> & {
  /** The button's name, read by screen readers and shown on hover. */
  label: string;
  icon: LucideIcon;
  size?: "small" | "medium";
  /** `accent` is the composer's send button; `bordered` matches adjacent bordered buttons. */
  variant?: "plain" | "bordered" | "accent";
  pressed?: boolean;
  /** A shortcut shown after the name: "mod+k". */
  shortcut?: string;
};

export function IconButton({
  label,
  icon: Icon,
  size = "medium",
  variant = "plain",
  pressed,
  shortcut,
  className,
  type = "button",
  ...rest
}: IconButtonProps) {
  return (
    <button
      {...rest}
      type={type}
      aria-label={label}
      aria-pressed={pressed}
      data-tooltip={label}
      data-tooltip-keys={shortcut}
      className={classes(
        styles.iconButton,
        size === "small" && styles.small,
        variant !== "plain" && styles[variant],
        className,
      )}
    >
      <Icon aria-hidden />
    </button>
  );
}
