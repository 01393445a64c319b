import type { BudgetAuthority, BudgetScope } from "#contract/budgets.ts";
import type { Budget, BudgetStanding } from "#contract/entities.ts";
import { t } from "../../messages/t.ts";
import { type BudgetDraft, draftOf, newDraft } from "./budget-draft.ts";

/**
 * The owners of the budgets to set or remove: the instance (null), a scope's default (null), or
 * people or projects by id.
 */
export type BudgetTarget = {
  /** Who sets the budget: managers their own project's, admins all others. */
  authority: BudgetAuthority;
  /** A key's budget is set with the key. */
  scope: Exclude<BudgetScope, "api_key">;
  scopeIds: readonly (string | null)[];
  /** Instead of ids: everything that a search finds. */
  found?: { q?: string; count: number };
  /** The only owner's name; several owners are counted. */
  name?: string;
  /** The budget being changed. Only its period is fixed. */
  changed?: Budget;
};

export const targetName = ({ scope, scopeIds, found, name }: BudgetTarget): string =>
  name ??
  t(scope === "project" ? "budgets.who.project" : "budgets.who.user", {
    count: found?.count ?? scopeIds.length,
  });

/** The request's fields for a target given by a search. */
export const searchOf = ({ found }: BudgetTarget) =>
  found && { found: { ...(found.q && { q: found.q }) } };

/** The target's budgets of a period. */
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

/** The form's initial values: the changed budget's, or an empty draft. */
export const draftFor = (target: BudgetTarget, timeZone: string): BudgetDraft =>
  target.changed ? draftOf(target.changed) : newDraft(timeZone);
