import type { BudgetStanding } from "#contract/entities.ts";
import type { Reader } from "#store/database/store.ts";
import { listBudgets } from "#store/money/budgets.ts";

/** All existing budgets of every scope, and the defaults. */
export async function listEveryBudget(db: Reader, at: number): Promise<BudgetStanding[]> {
  const rows = await db.selectFrom("budget").select(["scope", "scope_id"]).execute();
  const idsOf = (kind: string): string[] =>
    rows.flatMap(({ scope, scope_id }) => (scope === kind && scope_id !== null ? [scope_id] : []));
  return listBudgets(
    db,
    {
      projectIds: idsOf("project"),
      userIds: idsOf("user"),
      keyIds: idsOf("api_key"),
      withInstance: true,
      withDefaults: true,
    },
    at,
  );
}
