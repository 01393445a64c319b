import { Link } from "@tanstack/react-router";
import { CircleCheck } from "lucide-react";
import { type ReactNode, useState } from "react";
import {
  type ComparedRun,
  type RequestComparison,
  useAdoptCosts,
} from "../../../data/queries/bill.queries.ts";
import { formatMoney } from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";
import { Button } from "../../../ui/controls/button.tsx";
import { useToast } from "../../../ui/overlays/toast.tsx";
import styles from "./bill.module.css";
import { BillTable, BillTotals, formatDifference, Moment } from "./bill-table.tsx";

export type RequestResultProps = {
  connectionId: string;
  source: "bill" | "invoice";
  told: RequestComparison;
};

/** Compares a bill that names its requests with their runs. Differences can be booked as billed. */
export function RequestResult({ connectionId, source, told }: RequestResultProps) {
  const [adopted, setAdopted] = useState<ReadonlySet<string>>(new Set());
  const adopt = useAdoptCosts(connectionId);
  const toast = useToast();
  const open = told.differing.rows.filter(({ runId }) => !adopted.has(runId));

  function book(rows: readonly ComparedRun[]): void {
    const costs = rows.map(({ runId, billedMicros, bookedMicros }) => ({
      runId,
      billedMicros,
      bookedMicros,
    }));
    adopt.mutate(
      { costs, source },
      {
        onSuccess({ adopted: count, left }) {
          setAdopted(
            (before) =>
              new Set([
                ...before,
                ...rows.map(({ runId }) => runId).filter((id) => !left.includes(id)),
              ]),
          );
          if (count > 0) toast({ text: t("bills.adopted", { count }) });
          if (left.length > 0)
            toast({
              kind: "error",
              text: t("bills.left", { count: left.length }),
              detail: t("bills.left.text"),
            });
        },
        onError: (error) => toast({ kind: "error", text: error.message }),
      },
    );
  }
  const money = (micros: number) => formatMoney(micros, "exact");
  const isAlike = [told.differing, told.unconfirmed, told.unknown, told.unbilled].every(
    ({ count }) => count === 0,
  );
  const facts = [t("bills.model"), t("bills.when"), t("bills.request")];
  const factsOf = (row: { modelId: string; at: number; requestId: string | null }): ReactNode[] => [
    row.modelId || t("bills.noModel"),
    <Moment key="when" at={row.at} />,
    row.requestId === null ? "–" : <code key="request">{row.requestId}</code>,
  ];
  return (
    <div className={styles.result}>
      <BillTotals
        billed={told.billed}
        booked={told.booked}
        details={[
          t("bills.requests", { count: told.billed.count }),
          t("bills.runs", { count: told.booked.count }),
          t("bills.agreed", { count: told.agreed }),
        ]}
      />
      {isAlike && (
        <p className={styles.alike}>
          <CircleCheck aria-hidden />
          {t("bills.alike")}
        </p>
      )}
      {told.underWay > 0 && (
        <p className={styles.note}>{t("bills.underWay", { count: told.underWay })}</p>
      )}
      <BillTable
        title={t("bills.differing")}
        intro={t("bills.differing.intro")}
        list={told.differing}
        action={
          open.length > 0 && (
            <Button size="small" busy={adopt.isPending} onClick={() => book(open)}>
              {t("bills.adoptAll", { count: open.length })}
            </Button>
          )
        }
        heads={[
          t("bills.model"),
          t("bills.when"),
          t("bills.billed"),
          t("bills.booked"),
          t("bills.difference"),
          t("bills.run"),
          t("bills.action"),
        ]}
        rows={told.differing.rows.map((row) => ({
          key: row.runId,
          cells: [
            row.modelId,
            <Moment key="when" at={row.at} />,
            money(row.billedMicros),
            money(row.bookedMicros),
            formatDifference(row.billedMicros - row.bookedMicros),
            <RunLink key="run" run={row} />,
            adopted.has(row.runId) ? (
              t("bills.isBooked")
            ) : (
              <Button
                key="adopt"
                size="small"
                disabled={adopt.isPending}
                onClick={() => book([row])}
              >
                {t("bills.adopt")}
              </Button>
            ),
          ],
        }))}
      />
      <BillTable
        title={t("bills.unconfirmed")}
        intro={t("bills.unconfirmed.intro")}
        list={told.unconfirmed}
        heads={[...facts, t("bills.billed"), t("bills.run")]}
        rows={told.unconfirmed.rows.map((row) => ({
          key: row.runId,
          cells: [...factsOf(row), money(row.billedMicros), <RunLink key="run" run={row} />],
        }))}
      />
      <BillTable
        title={t("bills.unknown")}
        intro={t("bills.unknown.intro")}
        list={told.unknown}
        heads={[...facts, t("bills.billed"), t("bills.maybe")]}
        rows={told.unknown.rows.map((row) => ({
          key: row.requestId,
          cells: [
            ...factsOf(row),
            money(row.billedMicros),
            row.maybe ? <RunLink key="run" run={row.maybe} /> : "–",
          ],
        }))}
      />
      <BillTable
        title={t("bills.unbilled")}
        intro={t("bills.unbilled.intro")}
        list={told.unbilled}
        heads={[...facts, t("bills.booked"), t("bills.run")]}
        rows={told.unbilled.rows.map((row) => ({
          key: row.runId,
          cells: [...factsOf(row), money(row.bookedMicros), <RunLink key="run" run={row} />],
        }))}
      />
    </div>
  );
}

/** A link to the run for people who may open it. */
function RunLink({ run }: { run: { runId: string; mayOpen: boolean } }) {
  if (!run.mayOpen) return <span className={styles.quiet}>{t("bills.others")}</span>;
  return (
    <Link to="/activity/$runId" params={{ runId: run.runId }}>
      {t("bills.openRun")}
    </Link>
  );
}
