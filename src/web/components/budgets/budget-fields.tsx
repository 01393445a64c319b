import { type BudgetAuthority, onLimits } from "#contract/budgets.ts";
import { listTimeZones, nameTimeZone, otherNameOf } from "../../data/regions.ts";
import { t } from "../../messages/t.ts";
import { Field } from "../../ui/controls/field.tsx";
import { Segmented } from "../../ui/controls/segmented.tsx";
import { SelectField } from "../../ui/controls/select.tsx";
import { TextField } from "../../ui/controls/text-field.tsx";
import type { BudgetDraft } from "./budget-draft.ts";
import styles from "./budgets.module.css";
import { PeriodField } from "./period-field.tsx";

export type BudgetFieldsProps = {
  draft: BudgetDraft;
  onDraftChange: (draft: BudgetDraft) => void;
  /** The problems with the limit and with the time zone. */
  problem: string | null;
  zoneProblem?: string | null;
  /** The period of an existing budget can't change. */
  isPeriodFixed?: boolean;
  /** Who approves runs over the budget. */
  asks: BudgetAuthority;
};

/** Period, limit, time zone, and the rule at the limit. */
export function BudgetFields({
  draft,
  onDraftChange,
  problem,
  zoneProblem,
  isPeriodFixed = false,
  asks,
}: BudgetFieldsProps) {
  const change = (part: Partial<BudgetDraft>) => onDraftChange({ ...draft, ...part });
  const hint =
    draft.onLimit === "ask"
      ? t(`budgets.form.on.ask.${asks}`)
      : t(`budgets.form.on.${draft.onLimit}.hint`);
  return (
    <div className={styles.form}>
      {!isPeriodFixed && (
        <PeriodField
          label={t("budgets.form.period")}
          value={draft.period}
          onValueChange={(period) => change({ period })}
        />
      )}
      <TextField
        label={t("budgets.form.limit")}
        error={problem}
        value={draft.limit}
        onValueChange={(limit) => change({ limit })}
        inputMode="decimal"
        autoComplete="off"
        maxLength={30}
      />
      {draft.period !== "total" && (
        <SelectField
          label={t("budgets.form.zone")}
          error={zoneProblem}
          search={{ label: t("budgets.form.zone.search"), empty: t("budgets.form.zone.none") }}
          value={draft.timeZone}
          onValueChange={(timeZone) => change({ timeZone })}
          options={listTimeZones(draft.timeZone).map((zone) => ({
            value: zone,
            label: nameTimeZone(zone),
            alias: otherNameOf(zone),
          }))}
        />
      )}
      <Field label={t("budgets.form.on")} hint={hint} isGroup>
        {() => (
          <Segmented
            label={t("budgets.form.on")}
            value={draft.onLimit}
            onValueChange={(onLimit) => change({ onLimit })}
            options={onLimits.map((onLimit) => ({
              value: onLimit,
              label: t(`budgets.form.on.${onLimit}`),
            }))}
          />
        )}
      </Field>
    </div>
  );
}
