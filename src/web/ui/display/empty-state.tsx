import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import styles from "./states.module.css";

export type EmptyStateProps = {
  icon: LucideIcon;
  title: string;
  /** The purpose of this place. */
  children: ReactNode;
  /** The first step, as buttons. */
  action?: ReactNode;
};

export function EmptyState({ icon: Icon, title, children, action }: EmptyStateProps) {
  return (
    <div className={styles.state}>
      <Icon aria-hidden className={styles.icon} />
      <h2 className={styles.title}>{title}</h2>
      <p className={styles.text}>{children}</p>
      {action && <div className={styles.actions}>{action}</div>}
    </div>
  );
}
