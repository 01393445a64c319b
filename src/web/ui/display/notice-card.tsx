import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { classes } from "../classes.ts";
import styles from "./notice-card.module.css";

export type NoticeCardProps = {
  icon: LucideIcon;
  tone?: "plain" | "warn" | "bad";
  title: ReactNode;
  text: ReactNode;
  /** Cards of one row have their buttons on one line, however long the words above them. */
  isStretched?: boolean;
  /** What can be done about it. */
  children?: ReactNode;
};

/** Something that a person should know of, and what can be done about it. */
export function NoticeCard({
  icon: Icon,
  tone = "plain",
  title,
  text,
  isStretched,
  children,
}: NoticeCardProps) {
  return (
    <article className={classes(styles.card, isStretched && styles.stretched)}>
      <Icon aria-hidden className={styles[tone]} />
      <div className={styles.words}>
        <h3 className={styles.title}>{title}</h3>
        <p className={styles.text}>{text}</p>
        {children && <div className={styles.actions}>{children}</div>}
      </div>
    </article>
  );
}
