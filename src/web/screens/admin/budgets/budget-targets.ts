import type { Budget, BudgetStanding } from "#contract/entities.ts";
import { type BudgetDraft, draftOf, newDraft } from "../../../components/budgets/budget-draft.ts";
import { t } from "../../../messages/t.ts";

/** Whose budgets are to be set or removed: the instance's (null), the default of a scope (null), or those of people or projects. */
export type BudgetTarget = {
  scope: "instance" | "project" | "user";
  scopeIds: readonly (string | null)[];
  /** The name of the only one; many are counted. */
  name?: string;
  /** The budget that is changed, of which only the period stays. */
  changed?: Budget;
};

export const whoIs = ({ scope, scopeIds, name }: BudgetTarget): string =>
  name ??
  t(scope === "project" ? "admin.budgets.who.project" : "admin.budgets.who.user", {
    count: scopeIds.length,
  });

/** The admins' budgets of these, of a period. */
export function budgetsOf(
  budgets: readonly BudgetStanding[],
  target: BudgetTarget,
  period: Budget["period"],
): BudgetStanding[] {
  const ids = new Set(target.scopeIds);
  return budgets.filter(
    (budget) =>
      budget.authority === "admin" &&
      budget.scope === target.scope &&
      budget.period === period &&
      ids.has(budget.scopeId),
  );
}

/** What the form begins with: the budget that is changed, or none. */
export const draftFor = (target: BudgetTarget, timeZone: string): BudgetDraft =>
  target.changed ? draftOf(target.changed) : newDraft(timeZone);
