import type { ReactElement, ReactNode } from "react";
import { cloneElement } from "react";
import { formatCount } from "../messages/format.ts";
import { classes } from "../ui/classes.ts";
import { SearchField, type SearchFieldProps } from "../ui/controls/text-field.tsx";
import rowStyles from "../ui/lists/row-target.module.css";
import styles from "./pane.module.css";

/** The pane's search field, below its title. */
export function PaneSearch(props: SearchFieldProps) {
  return <SearchField {...props} className={styles.search} />;
}

/** A pane's rows under headings. */
export function PaneList({
  label,
  isHidden = false,
  children,
}: {
  label: string;
  /** Hides the list until its position is known. */
  isHidden?: boolean;
  children: ReactNode;
}) {
  return (
    <nav className={styles.list} aria-label={label} hidden={isHidden}>
      {children}
    </nav>
  );
}

export function PaneHeading({ children }: { children: ReactNode }) {
  return <h2 className={styles.heading}>{children}</h2>;
}

export type PaneRowProps = {
  /**
   * The row's link, which receives its content: `<Link to="/chat/$id" params={{ id }} />` or a
   * button. The router marks the current one.
   */
  link: ReactElement<{ className?: string; children?: ReactNode }>;
  /** An icon of 15 px, or a small picture. */
  icon?: ReactNode;
  children: ReactNode;
  count?: number;
  /** Small icon buttons, shown on hover and focus: the row's menu. */
  end?: ReactNode;
};

/** One row of a pane: 32 px high, truncated with an ellipsis. */
export function PaneRow({ link, icon, children, count, end }: PaneRowProps) {
  return (
    <div data-row className={styles.row}>
      {cloneElement(
        link,
        { className: classes(styles.main, rowStyles.target) },
        icon,
        <span key="text" className={styles.text}>
          {children}
        </span>,
        count !== undefined && (
          <span key="count" className={styles.count}>
            {formatCount(count)}
          </span>
        ),
      )}
      {end && <span className={styles.end}>{end}</span>}
    </div>
  );
}
