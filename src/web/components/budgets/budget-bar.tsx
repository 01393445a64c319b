import { CircleAlert, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import type { BudgetStanding } from "#contract/entities.ts";
import { formatAtLeast, formatLeastShare, formatMoney } from "../../messages/format.ts";
import { t } from "../../messages/t.ts";
import { classes } from "../../ui/classes.ts";
import { Badge } from "../../ui/display/badge.tsx";
import { Card } from "../../ui/display/card.tsx";
import { nearnessOf, periodNow, sharesOf } from "./budget-text.ts";
import styles from "./budgets.module.css";

export type BudgetBarProps = {
  budget: BudgetStanding;
  /** The budget's owner; left out if the heading above names it. */
  name?: string;
  /** At the right: the budget's actions. */
  actions?: ReactNode;
};

/** A budget's spent and reserved amounts, as text and as a bar. */
export function BudgetBar({ budget, name, actions }: BudgetBarProps) {
  return (
    <Card as="li">
      <div className={styles.head}>
        <span className={styles.name}>
          {name ? t("budgets.name", { name, period: periodNow(budget) }) : periodNow(budget)}
        </span>
        <NearnessBadge budget={budget} />
        <span className={styles.share}>
          {formatLeastShare(sharesOf(budget).spent, budget.unpricedRuns)}
        </span>
        {actions}
      </div>
      <Gauge budget={budget} />
      <p className={styles.words}>{standingText(budget)}</p>
      <p className={styles.rule}>{ruleText(budget)}</p>
    </Card>
  );
}

export function NearnessBadge({ budget }: { budget: BudgetStanding }) {
  const nearness = nearnessOf(budget);
  if (nearness === "far") return null;
  return nearness === "used" ? (
    <Badge tone="bad" icon={CircleAlert}>
      {t("budgets.used")}
    </Badge>
  ) : (
    <Badge tone="warn" icon={TriangleAlert}>
      {t("budgets.near")}
    </Badge>
  );
}

const percent = (share: number): string => `${Math.min(1, Math.max(0, share)) * 100}%`;

/** The bar without its text; the text next to it has the same content. */
export function Gauge({ budget }: { budget: BudgetStanding }) {
  const { spent, taken } = sharesOf(budget);
  const nearness = nearnessOf(budget);
  return (
    <div className={styles.gauge} aria-hidden>
      <div className={styles.taken} style={{ width: percent(taken) }} />
      <div
        className={classes(styles.spent, nearness !== "far" && styles[nearness])}
        style={{ width: percent(spent) }}
      />
    </div>
  );
}

/** "$8.30 of $10.00 spent · $0.40 held · $1.30 left" */
function standingText({
  spentMicros,
  heldMicros,
  limitMicros,
  unpricedRuns,
}: BudgetStanding): string {
  const left = Math.max(0, limitMicros - spentMicros - heldMicros);
  return [
    t("budgets.spent", {
      spent: formatAtLeast(spentMicros, unpricedRuns),
      limit: formatMoney(limitMicros),
    }),
    unpricedRuns > 0 && t("money.unpriced", { count: unpricedRuns }),
    heldMicros > 0 && t("budgets.held", { held: formatMoney(heldMicros) }),
    t(unpricedRuns > 0 ? "budgets.leftMost" : "budgets.left", { left: formatMoney(left) }),
  ]
    .filter(Boolean)
    .join(" · ");
}

/** The rule at the limit, the budget's time zone, and who approves. */
export function ruleText({ scope, onLimit, period, timeZone, authority }: BudgetStanding): string {
  return [
    t(`budgets.on.${onLimit}`),
    period !== "total" && t("budgets.zone", { zone: timeZone.replaceAll("_", " ") }),
    scope === "project" && t(`budgets.by.${authority}`),
  ]
    .filter(Boolean)
    .join(" ");
}
