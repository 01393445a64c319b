import { useQuery } from "@tanstack/react-query";
import type { BudgetStanding } from "#contract/entities.ts";
import { budgetsQuery } from "../../components/budgets/budgets.queries.ts";
import { useSession } from "../../shell/shell-data.ts";

const nearShare = 0.8;

/** The budgets over one's own work here that have passed 80 %: one's own, and the project's. */
export function useNearBudgets(): BudgetStanding[] {
  const { user, project } = useSession();
  const isMine = ({ scope, scopeId }: BudgetStanding) =>
    (scope === "user" && scopeId === user.id) || (scope === "project" && scopeId === project.id);
  return (useQuery(budgetsQuery).data ?? []).filter(
    (budget) => isMine(budget) && budget.limitMicros > 0 && budget.spentMicros >= budget.limitMicros * nearShare,
  );
}
