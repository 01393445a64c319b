import { useQuery } from "@tanstack/react-query";
import { useBudgetDialogs } from "../../../components/budgets/use-budget-dialogs.tsx";
import { StorageLimits } from "../../../components/storage/storage-limits.tsx";
import { Webhooks } from "../../../components/webhooks/webhooks.tsx";
import { allBudgetsQuery } from "../../../data/queries/budgets.queries.ts";
import { storageQuery } from "../../../data/queries/storage.queries.ts";
import { PageColumn } from "../../../frame/page.tsx";
import { ListState } from "../../../ui/lists/list-state.tsx";
import { InstanceBudgets } from "./instance-budgets.tsx";
import { PayerBudgets } from "./payer-budgets.tsx";

/** All budgets: of the instance, defaults, people and projects. */
export function BudgetsSection() {
  const all = useQuery(allBudgetsQuery);
  const storage = useQuery(storageQuery).data;
  const { ways, dialogs } = useBudgetDialogs(all.data?.budgets ?? []);
  return (
    <PageColumn>
      <ListState query={all} rows={6} />
      {all.data && !all.error && (
        <>
          <InstanceBudgets budgets={all.data.budgets} {...ways} />
          <PayerBudgets listed={all.data} {...ways} />
          {storage && <StorageLimits limits={storage.limits} />}
          <Webhooks projectId={null} />
          {dialogs}
        </>
      )}
    </PageColumn>
  );
}
