import { useState } from "react";
import type { Budget } from "#contract/entities.ts";
import { limits } from "#contract/limits.ts";
import { formatMoney } from "../../messages/format.ts";
import { t } from "../../messages/t.ts";
import { parseDollars, writeDollars } from "./parse-dollars.ts";

/** A budget as it is being written. */
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
  limit: writeDollars(limitMicros),
  timeZone,
  onLimit,
});

/** What is wrong with the written limit, in a sentence; null when nothing is. */
export function limitProblem(text: string): string | null {
  if (text.trim() === "") return t("budgets.form.limit.needed");
  const micros = parseDollars(text);
  if (micros === undefined) return t("budgets.form.limit.wrong");
  return micros > limits.budgetMicrosMost
    ? t("budgets.form.limit.most", { most: formatMoney(limits.budgetMicrosMost) })
    : null;
}

/** A draft in hand; what is wrong with it is said once it was sent, and until it is mended. */
export function useBudgetDraft(initial: BudgetDraft) {
  const [draft, setDraft] = useState(initial);
  const [wasSent, setWasSent] = useState(false);
  const problem = limitProblem(draft.limit);
  return {
    draft,
    setDraft,
    problem: wasSent ? problem : null,
    /** @returns undefined when something is wrong with it, which is then said */
    read(): BudgetSetting | undefined {
      setWasSent(true);
      const { limit, ...rest } = draft;
      const limitMicros = parseDollars(limit);
      return problem === null && limitMicros !== undefined ? { ...rest, limitMicros } : undefined;
    },
  };
}
