import type { LucideIcon } from "lucide-react";
import type { ComponentProps, ReactNode } from "react";
import { classes } from "../classes.ts";
import { ProgressRing } from "../display/progress.tsx";
import styles from "./button.module.css";

export type ButtonLook = {
  /** A view has at most one primary button, its main action. */
  variant?: "primary" | "secondary" | "ghost" | "danger";
  size?: "small" | "medium" | "large";
};
export type ButtonProps = ButtonLook &
  ComponentProps<"button"> & {
    icon?: LucideIcon;
    /** The button's work is in progress: shows it and ignores further presses. */
    busy?: boolean;
    children: ReactNode;
  };

/**
 * A button's classes, for a link that looks like one: `<Link className={buttonClass({ variant:
 * "primary" })}>`.
 */
export function buttonClass({ variant = "secondary", size = "medium" }: ButtonLook = {}): string {
  return classes(
    styles.button,
    variant !== "secondary" && styles[variant],
    size !== "medium" && styles[size],
  );
}

export function Button({
  variant,
  size,
  icon: Icon,
  busy = false,
  className,
  children,
  disabled,
  type = "button",
  ...rest
}: ButtonProps) {
  return (
    <button
      {...rest}
      type={type}
      className={classes(buttonClass({ variant, size }), className)}
      disabled={disabled || busy}
      aria-busy={busy || undefined}
    >
      {busy ? (
        <ProgressRing value={null} size={15} />
      ) : (
        Icon && <Icon className={styles.icon} aria-hidden />
      )}
      {children}
    </button>
  );
}
