import { type ReactNode, useEffect } from "react";
import { classes } from "../ui/classes.ts";
import styles from "./page.module.css";

/** The column of a screen that reads from top to bottom: 720 px, or 1,100 px if wide. */
export function PageColumn({ wide = false, children }: { wide?: boolean; children: ReactNode }) {
  return <div className={classes(styles.column, wide && styles.wide)}>{children}</div>;
}

export type PageSectionProps = {
  /** Left out if it would repeat the screen's title. */
  title?: string;
  /** Small text next to the title: a count, a sum. */
  aside?: ReactNode;
  /** At the right: the section's action. */
  action?: ReactNode;
  intro?: ReactNode;
  children: ReactNode;
};

export function PageSection({ title, aside, action, intro, children }: PageSectionProps) {
  return (
    <section className={styles.section}>
      {(title || aside || action) && (
        <div className={styles.head}>
          {title && <h2 className={styles.title}>{title}</h2>}
          {aside && <span className={styles.aside}>{aside}</span>}
          {action && <span className={styles.end}>{action}</span>}
        </div>
      )}
      {intro && <p className={styles.intro}>{intro}</p>}
      {children}
    </section>
  );
}

/** A column of fields or cards, 14 px apart. */
export function Stack({ children }: { children: ReactNode }) {
  return <div className={styles.stack}>{children}</div>;
}

/** The page of a screen outside the shell: set-up, sign-in, a one-time link. */
export function BarePage({
  title,
  intro,
  wide = false,
  children,
}: {
  title: string;
  intro?: ReactNode;
  wide?: boolean;
  children: ReactNode;
}) {
  useEffect(() => {
    document.title = `${title} · Bottega`;
  }, [title]);
  return (
    <main id="main" tabIndex={-1} className={styles.bare}>
      <div className={classes(styles.bareInner, wide && styles.bareWide)}>
        <p className={styles.mark}>Bottega</p>
        <h1 className={styles.bareTitle}>{title}</h1>
        {intro && <p className={styles.bareText}>{intro}</p>}
        {children}
      </div>
    </main>
  );
}
