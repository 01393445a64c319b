import { type ReactNode, useState } from "react";
import { formatCount, formatShare, formatSpent } from "../../messages/format.ts";
import { t } from "../../messages/t.ts";
import { Button } from "../../ui/controls/button.tsx";
import { Table } from "../../ui/lists/table.tsx";
import { type SortColumn, type Sorting, sortRows, toggleSorting } from "./sort-rows.ts";
import styles from "./usage.module.css";

export const usageKinds = ["models", "projects", "people", "connections", "keys"] as const;
export type UsageKind = (typeof usageKinds)[number];

export type BreakdownRow = {
  key: string;
  name: string;
  shown: ReactNode;
  micros: number;
  runs: number;
  tokens: number;
  unpricedRuns: number;
};
const fewMost = 10;

/** A table of costs, sortable by any column, with ten rows until all are shown. */
export function Breakdown({
  kind,
  rows,
  total,
}: {
  kind: UsageKind;
  rows: readonly BreakdownRow[];
  total: number;
}) {
  const [sorting, setSorting] = useState<Sorting>({ by: "micros", down: true });
  const [isWhole, setWhole] = useState(false);
  const sorted = sortRows(rows, sorting);
  const shown = isWhole ? sorted : sorted.slice(0, fewMost);
  const head = (column: SortColumn) => (
    <th key={column} scope="col" aria-sort={sortOf(column, sorting)}>
      <button
        type="button"
        className={styles.sort}
        onClick={() => setSorting(toggleSorting(sorting, column))}
      >
        {headOf(kind, column)}
        {sorting.by === column && <span aria-hidden>{sorting.down ? "↓" : "↑"}</span>}
      </button>
    </th>
  );
  return (
    <>
      <Table label={t(`usage.${kind}`)} kind="figures" className={styles.scrolls}>
        <thead>
          <tr>
            {(["name", "micros"] as const).map(head)}
            <th scope="col">{t("usage.share")}</th>
            {(["runs", "tokens"] as const).map(head)}
          </tr>
        </thead>
        <tbody>
          {shown.map((row) => (
            <tr key={row.key}>
              <th scope="row">{row.shown}</th>
              <td>{formatSpent(row.micros, row.unpricedRuns)}</td>
              <td>{shareText(row, total)}</td>
              <td>{formatCount(row.runs)}</td>
              <td>{formatCount(row.tokens)}</td>
            </tr>
          ))}
        </tbody>
      </Table>
      {rows.length > fewMost && (
        <Button
          size="small"
          variant="ghost"
          className={styles.more}
          onClick={() => setWhole(!isWhole)}
        >
          {isWhole ? t("usage.few", { count: fewMost }) : t("usage.all", { count: rows.length })}
        </Button>
      )}
    </>
  );
}

/** A dash if there is no total or the cost is unknown. */
const shareText = ({ micros, unpricedRuns }: BreakdownRow, total: number): string =>
  total > 0 && (micros > 0 || unpricedRuns === 0) ? formatShare(micros / total) : "–";

const sortOf = (column: SortColumn, { by, down }: Sorting) =>
  by === column ? (down ? "descending" : "ascending") : undefined;
const headOf = (kind: UsageKind, column: SortColumn): string =>
  column === "name"
    ? t(`usage.name.${kind}`)
    : t(({ micros: "usage.spent", runs: "usage.runs", tokens: "usage.tokens" } as const)[column]);
