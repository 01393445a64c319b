import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { classes } from "../../ui/classes.ts";
import styles from "./mark.module.css";

export type MarkTone = "plain" | "ok" | "warn" | "bad" | "busy";

/** A state in a word, its color and its icon saying the same. */
export function Mark({
  tone = "plain",
  icon: Icon,
  children,
}: {
  tone?: MarkTone;
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
