import type { Budget, BudgetStanding } from "#contract/entities.ts";
import { getRegion } from "../../messages/region.ts";
import { t } from "../../messages/t.ts";

/**
 * How close a budget is to its limit. People are notified from 80% spent on; "used" includes
 * reserved amounts.
 */
export type Nearness = "far" | "near" | "used";
const nearShare = 0.8;

export function nearnessOf({
  spentMicros,
  heldMicros,
  limitMicros,
}: Pick<BudgetStanding, "spentMicros" | "heldMicros" | "limitMicros">): Nearness {
  if (spentMicros + heldMicros >= limitMicros) return "used";
  return spentMicros >= limitMicros * nearShare ? "near" : "far";
}

/**
 * The spent share, and the share of spent plus reserved, from 0 up; a limit of zero counts as full.
 */
export function sharesOf({
  spentMicros,
  heldMicros,
  limitMicros,
}: Pick<BudgetStanding, "spentMicros" | "heldMicros" | "limitMicros">) {
  if (limitMicros === 0) return { spent: 1, taken: 1 };
  return { spent: spentMicros / limitMicros, taken: (spentMicros + heldMicros) / limitMicros };
}

/** The current period: "today", "November", "in total". */
export function periodNow({
  period,
  periodStart,
  timeZone,
}: Pick<BudgetStanding, "period" | "periodStart" | "timeZone">): string {
  if (period === "day") return t("budgets.today");
  if (period === "total") return t("budgets.total");
  return new Intl.DateTimeFormat(getRegion().locale, { month: "long", timeZone }).format(
    periodStart,
  );
}

/** "a day", "a month", "in total" */
export const perPeriod = (period: Budget["period"]): string =>
  t(({ day: "budgets.aDay", month: "budgets.aMonth", total: "budgets.total" } as const)[period]);
