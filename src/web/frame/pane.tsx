import type { ReactElement, ReactNode } from "react";
import { cloneElement } from "react";
import { formatCount } from "../messages/format.ts";
import { classes } from "../ui/classes.ts";
import { SearchField, type SearchFieldProps } from "../ui/controls/text-field.tsx";
import rowStyles from "../ui/lists/row-target.module.css";
import styles from "./pane.module.css";

/** The pane's search line, under its title. */
export function PaneSearch(props: SearchFieldProps) {
  return <SearchField {...props} className={styles.search} />;
}

/** Rows of a pane under their headings. */
export function PaneList({
  label,
  isHidden = false,
  children,
}: {
  label: string;
  /** Until it is known where it is. */
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
  /** The way there: `<Link to="/chat/$id" params={{ id }} />` or a button; it gets the words. The router marks the current one. */
  link: ReactElement<{ className?: string; children?: ReactNode }>;
  /** An icon of 15 px or a small picture. */
  icon?: ReactNode;
  children: ReactNode;
  count?: number;
  /** Small icon buttons, shown on hover and focus: its menu. */
  end?: ReactNode;
};

/** One line of a pane: 32 px, its words cut with an ellipsis. */
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
