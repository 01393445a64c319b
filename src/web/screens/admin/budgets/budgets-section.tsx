import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { RowsSkeleton } from "../../../components/rows/rows.tsx";
import { Webhooks } from "../../../components/webhooks/webhooks.tsx";
import { allBudgetsQuery } from "../../../data/queries/budgets.queries.ts";
import { storageQuery } from "../../../data/queries/storage.queries.ts";
import { PageColumn } from "../../../frame/page.tsx";
import { t } from "../../../messages/t.ts";
import { ErrorState } from "../../../ui/display/error-state.tsx";
import { AdminFrame } from "../admin-frame.tsx";
import type { BudgetTarget } from "./budget-targets.ts";
import { InstanceBudgets } from "./instance-budgets.tsx";
import { PayerBudgets } from "./payer-budgets.tsx";
import { RemoveBudgetsDialog } from "./remove-budgets-dialog.tsx";
import { SetBudgetsDialog } from "./set-budgets-dialog.tsx";
import { StorageLimits } from "./storage-limits.tsx";

/** What a dialog is about; it keeps it while it closes. Each opening is a fresh form. */
type Opened = { target: BudgetTarget; isOpen: boolean; time: number } | null;

function useOpened() {
  const [opened, setOpened] = useState<Opened>(null);
  return {
    opened,
    open: (target: BudgetTarget) =>
      setOpened((before) => ({ target, isOpen: true, time: (before?.time ?? 0) + 1 })),
    close: () => setOpened((before) => before && { ...before, isOpen: false }),
  };
}

/** Every budget: of the instance, of who is new, of all people and projects. */
export function BudgetsSection() {
  const all = useQuery(allBudgetsQuery);
  const storage = useQuery(storageQuery).data;
  const setting = useOpened();
  const removing = useOpened();
  const ways = { onSet: setting.open, onRemove: removing.open };
  return (
    <AdminFrame section="budgets">
      <PageColumn>
        {all.isPending && <RowsSkeleton label={t("ui.loading")} rows={6} />}
        {all.error && <ErrorState error={all.error} onRetry={() => void all.refetch()} />}
        {all.data && !all.error && (
          <>
            <InstanceBudgets budgets={all.data.budgets} {...ways} />
            <PayerBudgets listed={all.data} {...ways} />
            {storage && <StorageLimits limits={storage.limits} />}
            <Webhooks projectId={null} />
            {setting.opened && (
              <SetBudgetsDialog
                key={`set ${setting.opened.time}`}
                target={setting.opened.target}
                isOpen={setting.opened.isOpen}
                budgets={all.data.budgets}
                onClose={setting.close}
              />
            )}
            {removing.opened && (
              <RemoveBudgetsDialog
                key={`remove ${removing.opened.time}`}
                target={removing.opened.target}
                isOpen={removing.opened.isOpen}
                budgets={all.data.budgets}
                onClose={removing.close}
              />
            )}
          </>
        )}
      </PageColumn>
    </AdminFrame>
  );
}
