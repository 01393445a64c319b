import { type BudgetPeriod, budgetPeriods } from "#contract/budgets.ts";
import { t } from "../../messages/t.ts";
import { Field } from "../../ui/controls/field.tsx";
import { Segmented } from "../../ui/controls/segmented.tsx";

export type PeriodFieldProps = {
  label: string;
  value: BudgetPeriod;
  onValueChange: (period: BudgetPeriod) => void;
};

/** The period of a budget. */
export const PeriodField = ({ label, ...chosen }: PeriodFieldProps) => (
  <Field label={label} isGroup>
    {() => (
      <Segmented
        {...chosen}
        label={label}
        options={budgetPeriods.map((period) => ({
          value: period,
          label: t(`budgets.form.period.${period}`),
        }))}
      />
    )}
  </Field>
);
