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
  /** An alert is announced when it appears. */
  isAlert?: boolean;
  /** Aligns the buttons of the cards in a row, however long their texts are. */
  isStretched?: boolean;
  /** Below the text: the provider's message, the last attempt's result. */
  details?: ReactNode;
  /** The card's actions. */
  children?: ReactNode;
};

/** A notice for a person, with its actions. */
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
  // An alert can appear under a heading of any level, so its title isn't a heading.
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
        {text && <p className={styles.text}>{text}</p>}
        {details}
        {children && <div className={styles.actions}>{children}</div>}
      </div>
    </Card>
  );
}
