import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { classes } from "../classes.ts";
import { Card } from "./card.tsx";
import styles from "./notice-card.module.css";

export type NoticeCardProps = {
  icon: LucideIcon;
  tone?: "plain" | "warn" | "bad";
  title: ReactNode;
  text: ReactNode;
  /** An alert is read out when it appears. */
  isAlert?: boolean;
  /** Cards of one row have their buttons on one line, however long the words above them. */
  isStretched?: boolean;
  /** Under the text: the provider's words, the result of the last try. */
  details?: ReactNode;
  /** What can be done about it. */
  children?: ReactNode;
};

/** Something that a person should know of, and what can be done about it. */
export function NoticeCard({
  icon: Icon,
  tone = "plain",
  title,
  text,
  isAlert = false,
  isStretched,
  details,
  children,
}: NoticeCardProps) {
  // An alert can appear under a heading of any level, so its title is none.
  const Title = isAlert ? "p" : "h3";
  return (
    <Card
      as={isAlert ? "div" : "article"}
      role={isAlert ? "alert" : undefined}
      className={classes(styles.notice, isStretched && styles.stretched)}
    >
      <Icon aria-hidden className={styles[tone]} />
      <div className={styles.words}>
        <Title className={styles.title}>{title}</Title>
        <p className={styles.text}>{text}</p>
        {details}
        {children && <div className={styles.actions}>{children}</div>}
      </div>
    </Card>
  );
}
