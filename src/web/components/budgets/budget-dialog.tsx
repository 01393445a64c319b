import { type FormEvent, type ReactNode, useId } from "react";
import { fieldProblem } from "../../data/field-problem.ts";
import { t } from "../../messages/t.ts";
import { Button } from "../../ui/controls/button.tsx";
import { Dialog } from "../../ui/overlays/dialog.tsx";
import { FormError } from "../account/form-error.tsx";
import { type BudgetDraft, type BudgetSetting, useBudgetDraft } from "./budget-draft.ts";
import { BudgetFields } from "./budget-fields.tsx";
import styles from "./budgets.module.css";

export type BudgetDialogProps = {
  isOpen: boolean;
  onClose: () => void;
  title: string;
  initial: BudgetDraft;
  isPeriodFixed?: boolean;
  asks: "admin" | "manager";
  submitLabel: string;
  /** What sending it will change, said before it is sent. */
  change?: (draft: BudgetDraft) => ReactNode;
  isBusy: boolean;
  error: unknown;
  onSubmit: (setting: BudgetSetting) => void;
};

/** The form of a budget. It is a fresh one for each `key`; what was written stays in it when the server refuses. */
export function BudgetDialog(props: BudgetDialogProps) {
  const {
    isOpen,
    onClose,
    title,
    initial,
    isPeriodFixed,
    asks,
    submitLabel,
    change,
    isBusy,
    error,
    onSubmit,
  } = props;
  const formId = useId();
  const { draft, setDraft, problem, read } = useBudgetDraft(initial);
  const refused = fieldProblem(error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const setting = read();
    if (setting) onSubmit(setting);
  };
  const footer = (
    <>
      <Button onClick={onClose}>{t("ui.cancel")}</Button>
      <Button type="submit" form={formId} variant="primary" busy={isBusy}>
        {submitLabel}
      </Button>
    </>
  );
  return (
    <Dialog open={isOpen} onOpenChange={(open) => !open && onClose()} title={title} footer={footer}>
      <form id={formId} className={styles.form} onSubmit={submit} noValidate>
        <BudgetFields
          draft={draft}
          onDraftChange={setDraft}
          problem={problem ?? (refused?.field === "limitMicros" ? refused.text : null)}
          zoneProblem={refused?.field === "timeZone" ? refused.text : null}
          isPeriodFixed={isPeriodFixed}
          asks={asks}
        />
        {change && <div className={styles.change}>{change(draft)}</div>}
        <FormError error={error} fields={["limitMicros", "timeZone"]} safe={t("budgets.kept")} />
      </form>
    </Dialog>
  );
}
