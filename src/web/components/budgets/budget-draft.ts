import { useState } from "react";
import type { Budget } from "#contract/entities.ts";
import { limits } from "#contract/limits.ts";
import { formatMoney } from "../../messages/format.ts";
import { t } from "../../messages/t.ts";
import { formatDollars, parseDollars } from "./parse-dollars.ts";

/** A budget being edited. */
export type BudgetDraft = Pick<Budget, "period" | "timeZone" | "onLimit"> & { limit: string };
export type BudgetSetting = Pick<Budget, "period" | "timeZone" | "onLimit" | "limitMicros">;

export const newDraft = (timeZone: string): BudgetDraft => ({
  period: "month",
  limit: "",
  timeZone,
  onLimit: "block",
});
export const draftOf = ({ period, limitMicros, timeZone, onLimit }: Budget): BudgetDraft => ({
  period,
  limit: formatDollars(limitMicros),
  timeZone,
  onLimit,
});

/** The problem with the typed limit as a sentence; null if there is none. */
export function limitProblem(text: string): string | null {
  if (text.trim() === "") return t("budgets.form.limit.needed");
  const micros = parseDollars(text);
  if (micros === undefined) return t("budgets.form.limit.wrong");
  return micros > limits.budgetMicrosMost
    ? t("budgets.form.limit.most", { most: formatMoney(limits.budgetMicrosMost) })
    : null;
}

/** A budget draft. Problems are shown after the first submit, until they are fixed. */
export function useBudgetDraft(initial: BudgetDraft) {
  const [draft, setDraft] = useState(initial);
  const [wasSent, setWasSent] = useState(false);
  const problem = limitProblem(draft.limit);
  return {
    draft,
    setDraft,
    problem: wasSent ? problem : null,
    /** @returns undefined if the draft has a problem, which is then shown */
    read(): BudgetSetting | undefined {
      setWasSent(true);
      const { limit, ...rest } = draft;
      const limitMicros = parseDollars(limit);
      return problem === null && limitMicros !== undefined ? { ...rest, limitMicros } : undefined;
    },
  };
}
