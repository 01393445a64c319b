import type { BudgetAuthority, BudgetScope } from "#contract/budgets.ts";
import type { Budget, BudgetStanding } from "#contract/entities.ts";
import { t } from "../../messages/t.ts";
import { type BudgetDraft, draftOf, newDraft } from "./budget-draft.ts";

/** Whose budgets are to be set or removed: the instance's (null), the default of a scope (null), or those of people or projects. */
export type BudgetTarget = {
  /** Whose word it is. Managers set the budget of their own project, admins all others. */
  authority: BudgetAuthority;
  /** A key's budget is set with the key. */
  scope: Exclude<BudgetScope, "api_key">;
  scopeIds: readonly (string | null)[];
  /** Instead of ids: all that a search finds. */
  found?: { q?: string; count: number };
  /** The name of the only one; many are counted. */
  name?: string;
  /** The budget that is changed, of which only the period stays. */
  changed?: Budget;
};

export const whoIs = ({ scope, scopeIds, found, name }: BudgetTarget): string =>
  name ??
  t(scope === "project" ? "budgets.who.project" : "budgets.who.user", {
    count: found?.count ?? scopeIds.length,
  });

/** What the server is to be sent for these. */
export const searchOf = ({ found }: BudgetTarget) =>
  found && { found: { ...(found.q && { q: found.q }) } };

/** The budgets of these, of a period. */
export function budgetsOf(
  budgets: readonly BudgetStanding[],
  { authority, scope, scopeIds }: BudgetTarget,
  period: Budget["period"],
): BudgetStanding[] {
  const ids = new Set(scopeIds);
  return budgets.filter(
    (budget) =>
      budget.authority === authority &&
      budget.scope === scope &&
      budget.period === period &&
      ids.has(budget.scopeId),
  );
}

/** What the form begins with: the budget that is changed, or none. */
export const draftFor = (target: BudgetTarget, timeZone: string): BudgetDraft =>
  target.changed ? draftOf(target.changed) : newDraft(timeZone);
