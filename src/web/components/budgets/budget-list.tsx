import { Pencil, Trash2 } from "lucide-react";
import type { BudgetStanding } from "#contract/entities.ts";
import { formatMoney } from "../../messages/format.ts";
import { t } from "../../messages/t.ts";
import { IconButton } from "../../ui/controls/icon-button.tsx";
import { BudgetBar } from "./budget-bar.tsx";
import type { BudgetTarget } from "./budget-targets.ts";
import { perPeriod } from "./budget-text.ts";
import styles from "./budgets.module.css";

/** A budget's actions; each opens a dialog (use-budget-dialogs.tsx). */
export type BudgetActions = {
  onSet: (target: BudgetTarget) => void;
  onRemove: (target: BudgetTarget) => void;
};

type BudgetListProps = {
  budgets: readonly BudgetStanding[];
  /** Each budget's owner; left out if the heading above names it. */
  nameOf?: (budget: BudgetStanding) => string;
  /** The budgets that this person may change; others have no buttons. */
  target?: BudgetTarget;
  actions?: BudgetActions;
};

/** Budgets with their spent amounts. */
export const BudgetList = ({ budgets, nameOf, target, actions }: BudgetListProps) => (
  <ul className={styles.list}>
    {budgets.map((budget) => (
      <BudgetBar
        key={budget.id}
        budget={budget}
        name={nameOf?.(budget)}
        actions={
          target &&
          actions &&
          budget.authority === target.authority && (
            <ChangeButtons target={{ ...target, changed: budget }} {...actions} />
          )
        }
      />
    ))}
  </ul>
);

/** "$10.00 a month" */
export const limitText = ({
  limitMicros,
  period,
}: Pick<BudgetStanding, "limitMicros" | "period">): string =>
  t("budgets.each", { limit: formatMoney(limitMicros), period: perPeriod(period) });

export function ChangeButtons({
  target,
  onSet,
  onRemove,
}: { target: BudgetTarget } & BudgetActions) {
  const name = `${target.name ?? ""}, ${target.changed ? limitText(target.changed) : ""}`;
  return (
    <span className={styles.pair}>
      <IconButton
        size="small"
        icon={Pencil}
        label={t("budgets.change.of", { name })}
        onClick={() => onSet(target)}
      />
      <IconButton
        size="small"
        icon={Trash2}
        label={t("budgets.remove.of", { name })}
        onClick={() => onRemove(target)}
      />
    </span>
  );
}
