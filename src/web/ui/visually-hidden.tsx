import type { ReactNode } from "react";
import styles from "./visually-hidden.module.css";

/** Text only for screen readers. `live` announces changes. */
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
