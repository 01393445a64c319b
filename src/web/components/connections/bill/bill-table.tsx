import type { ReactNode } from "react";
import { formatCount, formatMoney } from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";
import { Sums } from "../../../ui/display/sums.tsx";
import { Table } from "../../../ui/lists/table.tsx";
import styles from "./bill.module.css";

type Sum = { count: number; micros: number };

/** Billed and booked totals side by side; `details` explains each sum. */
export function BillTotals({
  billed,
  booked,
  details,
}: {
  billed: Sum;
  booked: Sum;
  details: readonly [string, string, string];
}) {
  const difference = billed.micros - booked.micros;
  const sums = [
    { name: t("bills.billed"), value: formatMoney(billed.micros, "exact"), detail: details[0] },
    { name: t("bills.booked"), value: formatMoney(booked.micros, "exact"), detail: details[1] },
    { name: t("bills.difference"), value: formatDifference(difference), detail: details[2] },
  ];
  return <Sums sums={sums} />;
}

/** "+$0.01", "-$0.02", "$0.00": exact to the micro-dollar. */
export const formatDifference = (micros: number): string =>
  (micros > 0 ? "+" : "") + formatMoney(micros, "exact");

/** "2026-11-30 14:02:11" in UTC, like the days. */
export function Moment({ at }: { at: number }) {
  const iso = new Date(at).toISOString();
  return <time dateTime={iso}>{iso.slice(0, 19).replace("T", " ")}</time>;
}

export type BillTableProps = {
  title: string;
  intro: string;
  list: Sum;
  action?: ReactNode;
  heads: readonly string[];
  rows: readonly { key: string; cells: readonly ReactNode[] }[];
};

/**
 * One list of a comparison, with a wide first column and money at the right. Renders nothing for an
 * empty list.
 */
export function BillTable({ title, intro, list, action, heads, rows }: BillTableProps) {
  if (list.count === 0) return null;
  return (
    <section className={styles.list} aria-label={title}>
      <div className={styles.head}>
        <h3>
          {title} <span>{formatCount(list.count)}</span>
        </h3>
        {action}
      </div>
      <p className={styles.note}>{intro}</p>
      <Table label={t("bills.table", { title })} kind="figures" className={styles.scrolls}>
        <thead>
          <tr>
            {heads.map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, cells: [first, ...rest] }) => (
            <tr key={key}>
              <th scope="row">{first}</th>
              {rest.map((cell, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: cells stand in the order of their columns
                <td key={index}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </Table>
      {rows.length < list.count && (
        <p className={styles.note}>{t("bills.first", { shown: rows.length, count: list.count })}</p>
      )}
    </section>
  );
}
