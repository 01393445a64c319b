import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { DayRange } from "#domain/money/usage-range.ts";
import {
  type Keepers,
  keepersQuery,
  type Usage,
  type UsageScope,
} from "../../data/queries/usage.queries.ts";
import { PageSection } from "../../frame/page.tsx";
import { formatCount, formatSpent } from "../../messages/format.ts";
import { t } from "../../messages/t.ts";
import { ErrorState } from "../../ui/display/error-state.tsx";
import { Table } from "../../ui/lists/table.tsx";
import styles from "./usage.module.css";

type KeeperRow = Keepers["total"] & { key: string; shown: ReactNode };
type CostPerKeeperProps = { range: DayRange; scope: UsageScope; connections: Usage["connections"] };

/** The cost of a kept file, by model and by prompt; renders nothing if no files were made. */
export function CostPerKeeper({ range, scope, connections }: CostPerKeeperProps) {
  const query = useQuery(keepersQuery({ ...range, ...scope }));
  const nameOf = (connectionId: string) => connections.find(({ id }) => id === connectionId)?.name;
  if (query.isError)
    return (
      <PageSection title={t("usage.keepers")}>
        <ErrorState compact error={query.error} onRetry={() => void query.refetch()} />
      </PageSection>
    );
  if (!query.data || query.data.total.runs === 0) return null;
  const { total, models, prompts } = query.data;
  return (
    <PageSection title={t("usage.keepers")} aside={perKeeper(total)}>
      <p className={styles.rule}>{t("usage.keepers.rule")}</p>
      <div className={styles.keepers}>
        <KeeperTable
          label={t("usage.keepers.models")}
          head={t("usage.name.models")}
          rows={models.map((model) => ({
            ...model,
            key: `${model.connectionId} ${model.id}`,
            shown: model.id ? (
              <>
                {model.name}
                <span className={styles.from}>{nameOf(model.connectionId)}</span>
              </>
            ) : (
              t("usage.unnamed")
            ),
          }))}
        />
        <KeeperTable
          label={t("usage.keepers.prompts")}
          head={t("usage.name.prompts")}
          rows={prompts.map((row) => ({
            ...row,
            key: row.prompt,
            shown: (
              <span className={styles.prompt} title={row.prompt}>
                {row.prompt || t("usage.keepers.noPrompt")}
              </span>
            ),
          }))}
        />
      </div>
    </PageSection>
  );
}

/** A dash if nothing is kept, because there is no price per kept file. */
const perKeeper = ({ micros, kept, unpricedRuns }: Keepers["total"]): string =>
  kept === 0 ? "–" : formatSpent(Math.round(micros / kept), unpricedRuns);

type KeeperTableProps = { label: string; head: string; rows: readonly KeeperRow[] };

const KeeperTable = ({ label, head, rows }: KeeperTableProps) => (
  <Table label={label} kind="figures" className={styles.scrolls}>
    <thead>
      <tr>
        <th scope="col">{head}</th>
        <th scope="col">{t("usage.keepers.each")}</th>
        <th scope="col">{t("usage.spent")}</th>
        <th scope="col">{t("usage.keepers.kept")}</th>
        <th scope="col">{t("usage.runs")}</th>
      </tr>
    </thead>
    <tbody>
      {rows.map((row) => (
        <tr key={row.key}>
          <th scope="row">{row.shown}</th>
          <td>{perKeeper(row)}</td>
          <td>{formatSpent(row.micros, row.unpricedRuns)}</td>
          <td>{formatCount(row.kept)}</td>
          <td>{formatCount(row.runs)}</td>
        </tr>
      ))}
    </tbody>
  </Table>
);
