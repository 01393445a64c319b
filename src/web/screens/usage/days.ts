import type { DayRange } from "#domain/money/usage-range.ts";
import { getRegion } from "../../messages/region.ts";

const format = (options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat(getRegion().locale, { ...options, timeZone: "UTC" });

/**
 * A bar's day or month, short for an axis ("3 Nov", "Nov 26") or long ("3 November 2026", "November
 * 2026").
 */
export function formatStep(at: string, length: "short" | "long"): string {
  const isMonth = at.length === 7;
  const when = Date.parse(isMonth ? `${at}-01` : at);
  if (isMonth)
    return format({ month: length, year: length === "long" ? "numeric" : "2-digit" }).format(when);
  return format({
    day: "numeric",
    month: length,
    year: length === "long" ? "numeric" : undefined,
  }).format(when);
}

/** "1 – 21 November 2026" */
export const formatSpan = ({ from, to }: DayRange): string =>
  format({ dateStyle: "long" }).formatRange(Date.parse(from), Date.parse(to));

const roundSteps = [1, 2, 3, 4, 6, 8, 10];
/** The round number of micro-dollars at or above the highest bar, with a round half. */
export function roundAbove(micros: number): number {
  if (micros <= 0) return 1_000_000;
  const power = 10 ** Math.floor(Math.log10(micros));
  return (roundSteps.find((step) => step * power >= micros) ?? 10) * power;
}
