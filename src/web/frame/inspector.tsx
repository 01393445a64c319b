import type { ReactNode } from "react";
import styles from "./inspector.module.css";

/** A section of the inspector, under a small heading. */
export function InspectorSection({
  title,
  isPlain = false,
  children,
}: {
  title?: string;
  isPlain?: boolean;
  children: ReactNode;
}) {
  return (
    <section className={isPlain ? `${styles.section} ${styles.plain}` : styles.section}>
      {title && <h3 className={styles.heading}>{title}</h3>}
      {children}
    </section>
  );
}

/** Buttons in two columns, as below an asset's picture. */
export function InspectorActions({ children }: { children: ReactNode }) {
  return <div className={styles.actions}>{children}</div>;
}
