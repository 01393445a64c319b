import type { ReactNode } from "react";
import { classes } from "../classes.ts";
import styles from "./table.module.css";

export type TableProps = {
  label: string;
  /** Figures stand at the right under heads that stay in sight; words at the left. */
  kind: "figures" | "words";
  /** Of the box: how high it may grow, how wide a column is. */
  className?: string | undefined;
  children: ReactNode;
};

/** A table in a box that scrolls when it is wider or longer than its place, by keyboard as well. */
export function Table({ label, kind, className, children }: TableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table must be reachable to be scrolled by keyboard
    <section className={classes(styles.box, className)} tabIndex={0} aria-label={label}>
      <table className={classes(styles.table, styles[kind])}>{children}</table>
    </section>
  );
}
