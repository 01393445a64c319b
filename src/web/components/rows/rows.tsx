import type { ReactNode } from "react";
import { classes } from "../../ui/classes.ts";
import { Skeleton } from "../../ui/display/skeleton.tsx";
import styles from "./rows.module.css";

/** Things under each other in one bordered card: people, connections, sessions, members. */
export function Rows({ label, children }: { label: string; children: ReactNode }) {
  return (
    <ul className={styles.rows} aria-label={label}>
      {children}
    </ul>
  );
}

export type RowProps = {
  /** An avatar or icon. */
  start?: ReactNode;
  title: ReactNode;
  /** Small, after the title: "you", a state. */
  mark?: ReactNode;
  detail?: ReactNode;
  /** Controls and states at the right; under the words where there is no room. */
  end?: ReactNode;
  /** Given, the whole row opens something; what stands at its end lies above it. */
  onOpen?: () => void;
  isOpen?: boolean;
};

export function Row({ start, title, mark, detail, end, onOpen, isOpen }: RowProps) {
  return (
    <li className={classes(styles.row, onOpen && styles.opens, isOpen && styles.open)}>
      {start}
      <div className={styles.words}>
        <div className={styles.head}>
          {onOpen ? (
            <button type="button" className={styles.main} aria-expanded={isOpen} onClick={onOpen}>
              {title}
            </button>
          ) : (
            <span className={styles.title}>{title}</span>
          )}
          {mark}
        </div>
        {detail && <div className={styles.detail}>{detail}</div>}
      </div>
      {end && <div className={styles.end}>{end}</div>}
    </li>
  );
}

/** The shape of rows to come. */
export function RowsSkeleton({ label, rows = 3 }: { label: string; rows?: number }) {
  return (
    <div className={styles.rows} role="status" aria-busy="true" aria-label={label}>
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the shapes have no identity and never move
        <div key={row} className={styles.row}>
          <Skeleton width={30} height={30} radius={8} />
          <div className={styles.words}>
            <Skeleton width="34%" height={13} />
            <Skeleton width="56%" height={11} className={styles.second} />
          </div>
        </div>
      ))}
    </div>
  );
}
