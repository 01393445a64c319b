import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { classes } from "../classes.ts";
import styles from "./badge.module.css";

export type BadgeTone = "plain" | "ok" | "warn" | "bad" | "busy";

/** A state as a word, with a matching color and icon. */
export function Badge({
  tone = "plain",
  icon: Icon,
  children,
}: {
  tone?: BadgeTone;
  icon?: LucideIcon;
  children: ReactNode;
}) {
  return (
    <span className={classes(styles.mark, tone !== "plain" && styles[tone])}>
      {Icon && <Icon aria-hidden />}
      {children}
    </span>
  );
}
