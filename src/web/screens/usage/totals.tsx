import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Usage } from "../../data/queries/usage.queries.ts";
import { formatCount, formatSpent } from "../../messages/format.ts";
import { t } from "../../messages/t.ts";
import styles from "./usage.module.css";

/** The sums of the range, and what is held and unconfirmed now. */
export function Totals({ usage: { total, held, unconfirmed } }: { usage: Usage }) {
  const isUnsure = unconfirmed.runs > 0;
  return (
    <dl className={styles.totals}>
      <Total
        name={t("usage.total")}
        value={formatSpent(total.micros, total.unpricedRuns)}
        detail={total.unpricedRuns > 0 && t("money.unpriced", { count: total.unpricedRuns })}
      />
      <Total
        name={t("usage.runs")}
        value={formatCount(total.runs)}
        detail={total.assumedRuns > 0 && t("usage.assumed", { count: total.assumedRuns })}
      />
      <Total name={t("usage.tokens")} value={formatCount(total.tokens)} />
      <Total
        name={t("usage.held")}
        value={formatSpent(held.micros, held.unpricedRuns)}
        detail={t("usage.held.runs", { count: held.runs })}
      />
      <Total
        name={t("usage.unconfirmed")}
        value={formatSpent(unconfirmed.micros, unconfirmed.unpricedRuns)}
        detail={
          isUnsure ? (
            <Link to="/activity" search={{ show: "unconfirmed" }}>
              {t("usage.unconfirmed.runs", { count: unconfirmed.runs })}
            </Link>
          ) : (
            t("usage.unconfirmed.none")
          )
        }
      />
    </dl>
  );
}

function Total({ name, value, detail }: { name: string; value: string; detail?: ReactNode }) {
  return (
    <div className={styles.total}>
      <dt>{name}</dt>
      <dd className={styles.sum}>{value}</dd>
      {detail && <dd className={styles.detail}>{detail}</dd>}
    </div>
  );
}
