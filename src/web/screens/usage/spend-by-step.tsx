import type { Usage } from "../../data/queries/usage.queries.ts";
import { useStored } from "../../data/saved/use-stored.ts";
import { PageSection } from "../../frame/page.tsx";
import { formatCount, formatMoney, formatSpent } from "../../messages/format.ts";
import { t } from "../../messages/t.ts";
import { Segmented } from "../../ui/controls/segmented.tsx";
import { Table } from "../../ui/lists/table.tsx";
import { BarChart } from "./bar-chart.tsx";
import { formatStep } from "./days.ts";
import styles from "./usage.module.css";

/** The cost of each day or month, as a chart or a table. */
export function SpendByStep({ step, bars }: { step: Usage["step"]; bars: Usage["bars"] }) {
  const [stored, setView] = useStored("usage-view", "chart");
  const view = stored === "table" ? "table" : "chart";
  return (
    <PageSection
      title={t(`usage.${step}`)}
      action={
        <Segmented
          label={t("usage.view")}
          value={view}
          onValueChange={setView}
          options={(["chart", "table"] as const).map((value) => ({
            value,
            label: t(`usage.view.${value}`),
          }))}
        />
      }
    >
      {view === "chart" ? (
        <BarChart bars={bars} />
      ) : (
        <BarTable bars={bars} label={t(`usage.${step}`)} />
      )}
    </PageSection>
  );
}

function BarTable({ bars, label }: { bars: Usage["bars"]; label: string }) {
  return (
    <Table label={label} kind="figures" className={styles.scrolls}>
      <thead>
        <tr>
          <th scope="col">{t("usage.when")}</th>
          <th scope="col">{t("usage.spent")}</th>
          <th scope="col">{t("usage.runs")}</th>
          <th scope="col">{t("usage.tokens")}</th>
        </tr>
      </thead>
      <tbody>
        {bars.toReversed().map(({ at, micros, runs, tokens, unpricedRuns }) => (
          <tr key={at}>
            <th scope="row">{formatStep(at, "long")}</th>
            <td>
              {unpricedRuns > 0 ? formatSpent(micros, unpricedRuns) : formatMoney(micros, "exact")}
            </td>
            <td>{formatCount(runs)}</td>
            <td>{formatCount(tokens)}</td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}
