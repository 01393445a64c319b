import { useState } from "react";
import { budgetPeriods } from "#contract/budgets.ts";
import type { Budget } from "#contract/entities.ts";
import { useSetBudgets } from "../../data/queries/budgets.queries.ts";
import { t } from "../../messages/t.ts";
import { Button } from "../../ui/controls/button.tsx";
import { Segmented } from "../../ui/controls/segmented.tsx";
import { Dialog } from "../../ui/overlays/dialog.tsx";
import { useToast } from "../../ui/overlays/toast.tsx";
import { FormError } from "../account/form-error.tsx";
import { budgetsOf, searchOf, targetName } from "./budget-targets.ts";
import { perPeriod } from "./budget-text.ts";
import styles from "./budgets.module.css";
import type { BudgetsDialogProps } from "./set-budgets-dialog.tsx";

/** Removes the target's budgets of a period, after stating how many there are. */
export function RemoveBudgetsDialog({ target, isOpen, budgets, onClose }: BudgetsDialogProps) {
  const first =
    budgetPeriods.find((period) => budgetsOf(budgets, target, period).length > 0) ?? "month";
  const [period, setPeriod] = useState<Budget["period"]>(target.changed?.period ?? first);
  const set = useSetBudgets(target);
  const toast = useToast();
  const ending = budgetsOf(budgets, target, period);
  const remove = () =>
    set.mutate(
      {
        scopeIds: ending.map(({ scopeId }) => scopeId),
        ...searchOf(target),
        period,
        timeZone: "UTC",
        onLimit: "block",
        limitMicros: null,
      },
      {
        onSuccess: () => {
          toast({ text: t("budgets.remove.done") });
          onClose();
        },
      },
    );
  const footer = (
    <>
      <Button onClick={onClose}>{t("ui.cancel")}</Button>
      <Button
        variant="danger"
        busy={set.isPending}
        disabled={!target.found && ending.length === 0}
        onClick={remove}
      >
        {t("budgets.remove.submit")}
      </Button>
    </>
  );
  return (
    <Dialog
      open={isOpen}
      onOpenChange={(open) => !open && onClose()}
      title={t("budgets.remove.title", {
        who: targetName(target),
        isInstance: String(target.scope === "instance"),
      })}
      footer={footer}
    >
      <div className={styles.form}>
        {!target.changed && (
          <Segmented
            label={t("budgets.remove.period")}
            value={period}
            onValueChange={setPeriod}
            options={budgetPeriods.map((value) => ({
              value,
              label: t(`budgets.form.period.${value}`),
            }))}
          />
        )}
        <p>
          {target.found
            ? t("budgets.remove.found", { period: perPeriod(period) })
            : t("budgets.remove.text", { count: ending.length, period: perPeriod(period) })}
        </p>
        {target.authority === "admin" && target.scope === "project" && (
          <p>{t("budgets.remove.managers")}</p>
        )}
        <FormError error={set.error} fields={[]} />
      </div>
    </Dialog>
  );
}
