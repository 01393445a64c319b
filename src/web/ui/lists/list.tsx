import type { ReactNode } from "react";
import { classes } from "../classes.ts";
import { Skeleton } from "../display/skeleton.tsx";
import styles from "./list.module.css";
import rowStyles from "./row-target.module.css";

export type ListProps = {
  label: string;
  /** The box's class: its maximum height. */
  className?: string | undefined;
  children: ReactNode;
};

/** Rows in one bordered box: people, connections, sessions, members. */
export function List({ label, className, children }: ListProps) {
  return (
    <ul ref={keepFocus} className={classes(styles.list, className)} aria-label={label}>
      {children}
    </ul>
  );
}

export type ListRowProps = {
  /** An avatar or icon. */
  start?: ReactNode;
  title: ReactNode;
  /** Small, after the title: "you", a state. */
  badge?: ReactNode;
  detail?: ReactNode;
  /** Controls and states at the right; below the text if there is no room. */
  end?: ReactNode;
  /** If given, the whole row opens something, with the controls at its end above the target. */
  onOpen?: () => void;
  isOpen?: boolean;
};

/** A row with a title, an optional line of detail and controls at its end. */
export function ListRow({ start, title, badge, detail, end, onOpen, isOpen }: ListRowProps) {
  return (
    <li data-row className={classes(styles.row, onOpen && styles.opens, isOpen && styles.open)}>
      {start}
      <div className={styles.words}>
        <div className={styles.head}>
          {onOpen ? (
            <button
              type="button"
              className={classes(styles.title, rowStyles.target)}
              aria-expanded={isOpen}
              onClick={onOpen}
            >
              {title}
            </button>
          ) : (
            <span className={styles.title}>{title}</span>
          )}
          {badge}
        </div>
        {detail && <div className={styles.detail}>{detail}</div>}
      </div>
      {end && <div className={styles.end}>{end}</div>}
    </li>
  );
}

/** Placeholder rows. */
export function ListSkeleton({ label, rows = 3 }: { label: string; rows?: number }) {
  return (
    <div className={styles.list} role="status" aria-busy="true" aria-label={label}>
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

const focusable = "a[href], button:not(:disabled), input:not(:disabled), select:not(:disabled)";

/**
 * A list's ref. If the row that has the focus goes, or the one whose menu or dialog has it, the
 * focus moves to the same control of the next row, so that people with a keyboard or a screen
 * reader stay where they were instead of at the top of the page.
 */
export function keepFocus(list: HTMLElement | null): (() => void) | undefined {
  if (!list) return;
  let row: Element | null = null;
  let place = 0;
  let control = 0;
  const remember = ({ target }: FocusEvent) => {
    row = [...list.children].find((child) => child.contains(target as Node)) ?? null;
    if (!row) return;
    place = [...list.children].indexOf(row);
    control = [...row.querySelectorAll(focusable)].indexOf(target as Element);
  };
  const rows = new MutationObserver(() => {
    if (!row) return;
    if (row.parentNode === list) {
      place = [...list.children].indexOf(row);
      return;
    }
    row = null;
    if (document.activeElement !== document.body) return;
    const heir = list.children[Math.min(place, list.children.length - 1)];
    const controls = [...(heir?.querySelectorAll<HTMLElement>(focusable) ?? [])];
    controls[Math.min(Math.max(control, 0), controls.length - 1)]?.focus();
  });
  list.addEventListener("focusin", remember);
  rows.observe(list, { childList: true });
  return () => {
    list.removeEventListener("focusin", remember);
    rows.disconnect();
  };
}
