import { type ReactNode, useState } from "react";
import type { BudgetStanding } from "#contract/entities.ts";
import type { BudgetActions } from "./budget-list.tsx";
import type { BudgetTarget } from "./budget-targets.ts";
import { RemoveBudgetsDialog } from "./remove-budgets-dialog.tsx";
import { SetBudgetsDialog } from "./set-budgets-dialog.tsx";

/** The dialog's target, kept while the dialog closes. Each opening is a fresh form. */
type BudgetDialog = { target: BudgetTarget; isOpen: boolean; time: number } | null;

function useOpened() {
  const [opened, setOpened] = useState<BudgetDialog>(null);
  return {
    opened,
    open: (target: BudgetTarget) =>
      setOpened((before) => ({ target, isOpen: true, time: (before?.time ?? 0) + 1 })),
    close: () => setOpened((before) => before && { ...before, isOpen: false }),
  };
}

/** The dialogs that set and remove budgets, and the functions that open them. */
export function useBudgetDialogs(budgets: readonly BudgetStanding[]): {
  ways: BudgetActions;
  dialogs: ReactNode;
} {
  const setting = useOpened();
  const removing = useOpened();
  return {
    ways: { onSet: setting.open, onRemove: removing.open },
    dialogs: (
      <>
        {setting.opened && (
          <SetBudgetsDialog
            key={`set ${setting.opened.time}`}
            target={setting.opened.target}
            isOpen={setting.opened.isOpen}
            budgets={budgets}
            onClose={setting.close}
          />
        )}
        {removing.opened && (
          <RemoveBudgetsDialog
            key={`remove ${removing.opened.time}`}
            target={removing.opened.target}
            isOpen={removing.opened.isOpen}
            budgets={budgets}
            onClose={removing.close}
          />
        )}
      </>
    ),
  };
}
