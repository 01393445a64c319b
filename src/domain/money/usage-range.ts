/** UTC dates, both included: "2026-11-01" to "2026-11-30". */
export type DayRange = { from: string; to: string };

export const dayMs = 24 * 60 * 60_000;
/** Longer ranges are shown by month, because bars for days would be thinner than a line. */
export const daysShownMost = 62;

const toDay = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
export const dayBefore = (day: string): string => toDay(Date.parse(day) - dayMs);
const monthOf = (day: string): string => day.slice(0, 7);
const firstOf = (month: string): string => `${month}-01`;

export function nextMonth(month: string): string {
  const [year = 0, number = 0] = month.split("-").map(Number);
  return toDay(Date.UTC(year, number, 1)).slice(0, 7);
}

export const daysIn = ({ from, to }: DayRange): number =>
  Math.round((Date.parse(to) - Date.parse(from)) / dayMs) + 1;

/** Whether the range's chart has a bar per day or per month. */
export const stepOf = (range: DayRange): "day" | "month" =>
  daysIn(range) > daysShownMost ? "month" : "day";

/** The whole months of a long range, and the days before and after them. */
export type MonthSplit = { months: { from: string; to: string }; days: DayRange[] };

/** @param range longer than two months, so that it contains a whole one */
export function splitByMonth({ from, to }: DayRange): MonthSplit {
  const first = from === firstOf(monthOf(from)) ? monthOf(from) : nextMonth(monthOf(from));
  const afterLast =
    to === dayBefore(firstOf(nextMonth(monthOf(to)))) ? nextMonth(monthOf(to)) : monthOf(to);
  const last = monthOf(dayBefore(firstOf(afterLast)));
  const before = { from, to: dayBefore(firstOf(first)) };
  const after = { from: firstOf(afterLast), to };
  return {
    months: { from: first, to: last },
    days: [before, after].filter((range) => range.from <= range.to),
  };
}
