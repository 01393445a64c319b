import type { BudgetStanding } from "#contract/entities.ts";
import { BudgetDialog } from "../../../components/budgets/budget-dialog.tsx";
import { type BudgetDraft, limitProblem } from "../../../components/budgets/budget-draft.ts";
import { perPeriod } from "../../../components/budgets/budget-words.ts";
import { parseDollars } from "../../../components/budgets/parse-dollars.ts";
import { useSetBudgets } from "../../../data/queries/budgets.queries.ts";
import { deviceTimeZone } from "../../../data/regions.ts";
import { formatMoney } from "../../../messages/format.ts";
import { getRegion } from "../../../messages/region.ts";
import { t } from "../../../messages/t.ts";
import { useToast } from "../../../ui/overlays/toast.tsx";
import { type BudgetTarget, budgetsOf, draftFor, whoIs } from "./budget-targets.ts";

export type BudgetsDialogProps = {
  target: BudgetTarget;
  isOpen: boolean;
  budgets: readonly BudgetStanding[];
  onClose: () => void;
};

/** Sets one budget for all that are meant, in one go, and says before what it changes. */
export function SetBudgetsDialog({ target, isOpen, budgets, onClose }: BudgetsDialogProps) {
  const set = useSetBudgets();
  const toast = useToast();
  const who = whoIs(target);
  return (
    <BudgetDialog
      isOpen={isOpen}
      onClose={onClose}
      title={t("admin.budgets.set.title", { who })}
      initial={draftFor(target, getRegion().timeZone ?? deviceTimeZone())}
      isPeriodFixed={target.changed !== undefined}
      asks="admin"
      submitLabel={t("admin.budgets.set.submit")}
      change={(draft) => changeWords(draft, target, budgets)}
      isBusy={set.isPending}
      error={set.error}
      onSubmit={(setting) =>
        set.mutate(
          { scope: target.scope, scopeIds: [...target.scopeIds], ...setting },
          {
            onSuccess: () => {
              toast({ text: t("admin.budgets.set.done", { who }) });
              onClose();
            },
          },
        )
      }
    />
  );
}

/** "12 people: $10.00 a month. It takes the place of 5 budgets a month." */
function changeWords(
  { limit, period }: BudgetDraft,
  target: BudgetTarget,
  budgets: readonly BudgetStanding[],
): string {
  const micros = limitProblem(limit) === null ? parseDollars(limit) : undefined;
  const replaced = budgetsOf(budgets, target, period).length;
  return [
    micros !== undefined &&
      t("admin.budgets.change", {
        who: whoIs(target),
        limit: formatMoney(micros),
        period: perPeriod(period),
      }),
    replaced > 0 &&
      t("admin.budgets.change.replaces", { count: replaced, period: perPeriod(period) }),
    t("admin.budgets.change.others"),
  ]
    .filter(Boolean)
    .join(" ");
}
