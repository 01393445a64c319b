import { Plus } from "lucide-react";
import type { MouseEvent } from "react";
import type { BudgetStanding } from "#contract/entities.ts";
import { Gauge, NearnessBadge } from "../../../components/budgets/budget-bar.tsx";
import { type BudgetActions, ChangeButtons } from "../../../components/budgets/budget-list.tsx";
import type { BudgetTarget } from "../../../components/budgets/budget-targets.ts";
import { perPeriod } from "../../../components/budgets/budget-text.ts";
import type { Payer } from "../../../data/queries/budgets.queries.ts";
import { formatAtLeast, formatMoney } from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";
import { Checkbox } from "../../../ui/controls/checkbox.tsx";
import { IconButton } from "../../../ui/controls/icon-button.tsx";
import { ListRow } from "../../../ui/lists/list.tsx";
import styles from "./budgets-section.module.css";

export type PayerRowProps = BudgetActions & {
  payer: Payer;
  scope: "user" | "project";
  isSelected: boolean;
  onToggle: () => void;
  /** Called before the checkbox toggles, to note the Shift key. */
  onPress: (event: MouseEvent) => void;
};

/** A person or project with a checkbox and its budgets. */
export function PayerRow({ payer, scope, isSelected, onToggle, onPress, ...ways }: PayerRowProps) {
  const { id, name, detail, budgets } = payer;
  const target: BudgetTarget = { authority: "admin", scope, scopeIds: [id], name };
  return (
    <ListRow
      start={
        <Checkbox
          aria-label={t("admin.budgets.select", { name })}
          checked={isSelected}
          onClick={onPress}
          onCheckedChange={onToggle}
        />
      }
      title={name}
      detail={detail}
      end={
        <div className={styles.budgets}>
          {budgets.length === 0 && (
            <span className={styles.noBudget}>{t("admin.budgets.none")}</span>
          )}
          {budgets.map((budget) => (
            <div key={budget.id} className={styles.budget}>
              <div className={styles.standing}>
                <span className={styles.words}>{amountText(budget)}</span>
                <NearnessBadge budget={budget} />
                {budget.authority === "admin" && (
                  <ChangeButtons target={{ ...target, changed: budget }} {...ways} />
                )}
              </div>
              <Gauge budget={budget} />
            </div>
          ))}
          <IconButton
            size="small"
            icon={Plus}
            label={t("budgets.set.of", { name })}
            onClick={() => ways.onSet(target)}
          />
        </div>
      }
    />
  );
}

function amountText({
  authority,
  spentMicros,
  heldMicros,
  limitMicros,
  period,
  unpricedRuns,
}: BudgetStanding): string {
  const of = t("admin.budgets.of", {
    spent: formatAtLeast(spentMicros + heldMicros, unpricedRuns),
    limit: formatMoney(limitMicros),
    period: perPeriod(period),
  });
  return authority === "admin" ? of : t("admin.budgets.managers", { of });
}
