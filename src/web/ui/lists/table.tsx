import type { ReactNode } from "react";
import { classes } from "../classes.ts";
import styles from "./table.module.css";

export type TableProps = {
  label: string;
  /** "figures" are right-aligned under sticky heads; "words" are left-aligned. */
  kind: "figures" | "words";
  /** The box's class: its maximum height, its column widths. */
  className?: string | undefined;
  children: ReactNode;
};

/** A table in a box that scrolls in both directions if it doesn't fit, also by keyboard. */
export function Table({ label, kind, className, children }: TableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table must be reachable to be scrolled by keyboard
    <section className={classes(styles.box, className)} tabIndex={0} aria-label={label}>
      <table className={classes(styles.table, styles[kind])}>{children}</table>
    </section>
  );
}
