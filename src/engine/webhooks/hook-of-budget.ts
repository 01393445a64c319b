import type { BudgetWarning } from "#store/money/budgets.ts";
import type { Hook } from "#store/webhooks/hooks.ts";

/**
 * The event for a budget that passed a warning threshold. A project's budget is reported to the
 * project's own webhooks as well.
 */
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
