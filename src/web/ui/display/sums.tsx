import type { ReactNode } from "react";
import styles from "./sums.module.css";

export type Sum = {
  name: string;
  value: ReactNode;
  detail?: ReactNode;
};

/** A few large numbers in a row, each with its name and a detail line. */
export const Sums = ({ sums }: { sums: readonly Sum[] }) => (
  <dl className={styles.sums}>
    {sums.map(({ name, value, detail }) => (
      <div key={name} className={styles.sum}>
        <dt>{name}</dt>
        <dd className={styles.value}>{value}</dd>
        {detail && <dd className={styles.detail}>{detail}</dd>}
      </div>
    ))}
  </dl>
);
