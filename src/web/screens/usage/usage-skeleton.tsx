import { t } from "../../messages/t.ts";
import { Skeleton } from "../../ui/display/skeleton.tsx";
import styles from "./usage.module.css";

const totals = ["a", "b", "c", "d", "e"];

/** The shape of totals, bars and a table to come. */
export function UsageSkeleton() {
  return (
    <div role="status" aria-busy="true" aria-label={t("ui.loading")}>
      <div className={styles.totals}>
        {totals.map((key) => (
          <div key={key} className={styles.total}>
            <Skeleton width="50%" height={12} />
            <Skeleton width="70%" height={22} className={styles.second} />
          </div>
        ))}
      </div>
      <Skeleton height={216} radius={11} className={styles.wide} />
      <Skeleton height={260} radius={11} className={styles.wide} />
    </div>
  );
}
