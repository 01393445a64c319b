import { useQuery } from "@tanstack/react-query";
import { useBudgetDialogs } from "../../../components/budgets/use-budget-dialogs.tsx";
import { Webhooks } from "../../../components/webhooks/webhooks.tsx";
import { instanceBudgetsQuery } from "../../../data/queries/budgets.queries.ts";
import { PageColumn } from "../../../frame/page.tsx";
import { ListState } from "../../../ui/lists/list-state.tsx";
import { InstanceBudgets } from "./instance-budgets.tsx";
import { PayerBudgets } from "./payer-budgets.tsx";

/** All budgets: the instance's, the defaults, people's and projects'. */
export function BudgetsSection() {
  const shared = useQuery(instanceBudgetsQuery);
  const { ways, dialogs } = useBudgetDialogs(shared.data ?? []);
  return (
    <PageColumn>
      <ListState query={shared} rows={6} />
      {shared.data && !shared.error && (
        <>
          <InstanceBudgets budgets={shared.data} {...ways} />
          <PayerBudgets />
          <Webhooks projectId={null} />
          {dialogs}
        </>
      )}
    </PageColumn>
  );
}
