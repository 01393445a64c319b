import { Link } from "@tanstack/react-router";
import type { Usage } from "../../data/queries/usage.queries.ts";
import { formatCount, formatSpent } from "../../messages/format.ts";
import { t } from "../../messages/t.ts";
import { type Sum, Sums } from "../../ui/display/sums.tsx";
import styles from "./usage.module.css";

/** The range's totals, and the amounts reserved and unconfirmed now. */
export function Totals({ usage: { total, held, unconfirmed } }: { usage: Usage }) {
  const isUnsure = unconfirmed.runs > 0;
  const sums: Sum[] = [
    {
      name: t("usage.total"),
      value: formatSpent(total.micros, total.unpricedRuns),
      detail: total.unpricedRuns > 0 && t("money.unpriced", { count: total.unpricedRuns }),
    },
    {
      name: t("usage.runs"),
      value: formatCount(total.runs),
      detail: total.assumedRuns > 0 && t("usage.assumed", { count: total.assumedRuns }),
    },
    { name: t("usage.tokens"), value: formatCount(total.tokens) },
    {
      name: t("usage.held"),
      value: formatSpent(held.micros, held.unpricedRuns),
      detail: t("usage.held.runs", { count: held.runs }),
    },
    {
      name: t("usage.unconfirmed"),
      value: formatSpent(unconfirmed.micros, unconfirmed.unpricedRuns),
      detail: isUnsure ? (
        <Link to="/activity" search={{ show: "unconfirmed" }}>
          {t("usage.unconfirmed.runs", { count: unconfirmed.runs })}
        </Link>
      ) : (
        t("usage.unconfirmed.none")
      ),
    },
  ];
  return (
    <div className={styles.totals}>
      <Sums sums={sums} />
    </div>
  );
}
