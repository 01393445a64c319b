import type { ReactNode } from "react";
import styles from "./facts.module.css";

/**
 * Names and values: `[["Model", "FLUX.2 dev"], ["Seed", 88213]]`. Null and undefined values are
 * left out together with their names.
 */
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
