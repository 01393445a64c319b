import type { ReactNode } from "react";
import styles from "./inspector.module.css";

/** One part of the inspector, under a small heading. */
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

/** Names and values: `[["Model", "FLUX.2 dev"], ["Seed", 88213]]`. Values that are null or undefined are left out with their name. */
export function Facts({
  facts,
}: {
  facts: readonly (readonly [name: string, value: ReactNode])[];
}) {
  return (
    <dl className={styles.facts}>
      {facts.map(
        ([name, value]) =>
          value !== null &&
          value !== undefined && (
            <div key={name} style={{ display: "contents" }}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

/** Buttons two by two, as under the picture of an asset. */
export function InspectorActions({ children }: { children: ReactNode }) {
  return <div className={styles.actions}>{children}</div>;
}
