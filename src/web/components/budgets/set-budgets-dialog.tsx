import { type FormEvent, useId } from "react";
import type { BudgetStanding } from "#contract/entities.ts";
import { fieldProblem } from "../../data/field-problem.ts";
import { useSetBudgets } from "../../data/queries/budgets.queries.ts";
import { deviceTimeZone } from "../../data/regions.ts";
import { formatMoney } from "../../messages/format.ts";
import { getRegion } from "../../messages/region.ts";
import { t } from "../../messages/t.ts";
import { Button } from "../../ui/controls/button.tsx";
import { Dialog } from "../../ui/overlays/dialog.tsx";
import { useToast } from "../../ui/overlays/toast.tsx";
import { FormError } from "../account/form-error.tsx";
import { type BudgetDraft, limitProblem, useBudgetDraft } from "./budget-draft.ts";
import { BudgetFields } from "./budget-fields.tsx";
import { type BudgetTarget, budgetsOf, draftFor, searchOf, targetName } from "./budget-targets.ts";
import { perPeriod } from "./budget-text.ts";
import styles from "./budgets.module.css";
import { parseDollars } from "./parse-dollars.ts";

export type BudgetsDialogProps = {
  target: BudgetTarget;
  isOpen: boolean;
  budgets: readonly BudgetStanding[];
  onClose: () => void;
};

/**
 * Sets one budget for the whole target after stating the change. Each `key` is a fresh form; typed
 * values stay if the server refuses.
 */
export function SetBudgetsDialog({ target, isOpen, budgets, onClose }: BudgetsDialogProps) {
  const set = useSetBudgets(target);
  const toast = useToast();
  const formId = useId();
  const { draft, setDraft, problem, read } = useBudgetDraft(
    draftFor(target, getRegion().timeZone ?? deviceTimeZone()),
  );
  const refused = fieldProblem(set.error);
  const who = targetName(target);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const setting = read();
    if (!setting) return;
    set.mutate(
      { scopeIds: target.scopeIds, ...searchOf(target), ...setting },
      {
        onSuccess: () => {
          toast({ text: t("budgets.set.done", { who }) });
          onClose();
        },
      },
    );
  };
  const footer = (
    <>
      <Button onClick={onClose}>{t("ui.cancel")}</Button>
      <Button type="submit" form={formId} variant="primary" busy={set.isPending}>
        {t("budgets.set")}
      </Button>
    </>
  );
  return (
    <Dialog
      open={isOpen}
      onOpenChange={(open) => !open && onClose()}
      title={t("budgets.set.title", { who, isInstance: String(target.scope === "instance") })}
      footer={footer}
    >
      <form id={formId} className={styles.form} onSubmit={submit} noValidate>
        <BudgetFields
          draft={draft}
          onDraftChange={setDraft}
          problem={problem ?? (refused?.field === "limitMicros" ? refused.text : null)}
          zoneProblem={refused?.field === "timeZone" ? refused.text : null}
          isPeriodFixed={target.changed !== undefined}
          asks={target.authority}
        />
        <div className={styles.change}>{changeText(draft, target, budgets)}</div>
        <FormError
          error={set.error}
          fields={["limitMicros", "timeZone"]}
          safe={t("budgets.kept")}
        />
      </form>
    </Dialog>
  );
}

/** "12 people: $10.00 a month. It takes the place of 5 budgets a month." */
function changeText(
  { limit, period }: BudgetDraft,
  target: BudgetTarget,
  budgets: readonly BudgetStanding[],
): string {
  const micros = limitProblem(limit) === null ? parseDollars(limit) : undefined;
  const replaced = budgetsOf(budgets, target, period).length;
  return [
    micros !== undefined &&
      t("budgets.change", {
        who: targetName(target),
        limit: formatMoney(micros),
        period: perPeriod(period),
      }),
    target.found && t("budgets.change.replacesFound", { period: perPeriod(period) }),
    replaced > 0 && t("budgets.change.replaces", { count: replaced, period: perPeriod(period) }),
    t("budgets.change.others"),
  ]
    .filter(Boolean)
    .join(" ");
}
