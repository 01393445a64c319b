import type { ReactNode } from "react";
import styles from "./visually-hidden.module.css";

/** Words for the ear alone. `live` makes changes be announced. */
export function VisuallyHidden({
  children,
  live,
  as: Tag = "span",
  id,
}: {
  children: ReactNode;
  live?: "polite" | "assertive";
  as?: "span" | "h1" | "h2" | "div";
  id?: string;
}) {
  return (
    <Tag id={id} className={styles.hidden} aria-live={live}>
      {children}
    </Tag>
  );
}
