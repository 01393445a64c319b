import { CircleCheck } from "lucide-react";
import type { DayComparison } from "../../../data/queries/bill.queries.ts";
import { formatMoney } from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";
import styles from "./bill.module.css";
import { BillTable, BillTotals, formatDifference } from "./bill-table.tsx";

/** Compares an invoice without request ids with the ledger by day and model. */
export function DayResult({ told }: { told: DayComparison }) {
  return (
    <div className={styles.result}>
      <BillTotals
        billed={told.billed}
        booked={told.booked}
        details={[
          t("bills.sums", { count: told.billed.count }),
          t("bills.sums", { count: told.booked.count }),
          t("bills.agreedDays", { count: told.agreed }),
        ]}
      />
      {told.differing.count === 0 && (
        <p className={styles.alike}>
          <CircleCheck aria-hidden />
          {t("bills.alike")}
        </p>
      )}
      <BillTable
        title={t("bills.days")}
        intro={t("bills.days.intro")}
        list={told.differing}
        heads={[
          t("bills.model"),
          t("bills.day"),
          t("bills.billed"),
          t("bills.booked"),
          t("bills.difference"),
        ]}
        rows={told.differing.rows.map((row) => ({
          key: `${row.day} ${row.modelId}`,
          cells: [
            row.modelId,
            row.day,
            formatMoney(row.billedMicros, "exact"),
            formatMoney(row.bookedMicros, "exact"),
            formatDifference(row.billedMicros - row.bookedMicros),
          ],
        }))}
      />
    </div>
  );
}
