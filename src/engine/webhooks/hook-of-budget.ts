import type { BudgetWarning } from "#store/money/budgets.ts";
import type { Hook } from "#store/webhooks/hooks.ts";

/** A budget's spending has passed a share of its limit. A project's own budget is also its own addresses' business. */
export function hookOfBudget(
  { budget, percent, spentMicros, unpricedRuns, periodStart }: BudgetWarning,
  at: number,
): Hook {
  const { id: budgetId, scope, scopeId, period, timeZone, limitMicros, onLimit } = budget;
  return {
    event: "budget.warning",
    projectId: scope === "project" ? scopeId : null,
    onlyFor: null,
    toInstance: true,
    data: {
      budgetId,
      scope,
      scopeId,
      period,
      periodStart,
      timeZone,
      limitMicros,
      spentMicros,
      unpricedRuns,
      percent,
      onLimit,
    },
    at,
  };
}
