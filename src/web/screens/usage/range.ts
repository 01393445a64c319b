import { type DayRange, dayBefore, dayMs, nextMonth } from "#domain/money/usage-range.ts";

export const rangeNames = ["today", "week", "month", "last", "any"] as const;
export type RangeName = (typeof rangeNames)[number];
/** The range in the address; `from` and `to` belong to "any" only, and can be invalid. */
export type ChosenRange = { name: RangeName; from: string; to: string };

const toDay = (at: number): string => new Date(at).toISOString().slice(0, 10);
const isDay = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text));

/** The days of a named range. Days are in UTC, as in the ledger. */
export function rangeOf(name: Exclude<RangeName, "any">, now: number): DayRange {
  const today = toDay(now);
  const month = today.slice(0, 7);
  if (name === "today") return { from: today, to: today };
  if (name === "week") return { from: toDay(now - 6 * dayMs), to: today };
  if (name === "month") return { from: `${month}-01`, to: today };
  const to = dayBefore(`${month}-01`);
  return { from: `${to.slice(0, 7)}-01`, to };
}

/** The errors of a custom range, by field. */
export type RangeProblem = { field: "from" | "to"; why: "needed" | "order" };

/** The days to load, or the errors. */
export function readRange(
  { name, from, to }: ChosenRange,
  now: number,
): { range: DayRange } | { problem: RangeProblem } {
  if (name !== "any") return { range: rangeOf(name, now) };
  if (!isDay(from)) return { problem: { field: "from", why: "needed" } };
  if (!isDay(to)) return { problem: { field: "to", why: "needed" } };
  return from <= to ? { range: { from, to } } : { problem: { field: "to", why: "order" } };
}

/** The range in the address, by default this month. A custom range starts with the previous one. */
export function chosenRange(
  name: string | undefined,
  from: string | undefined,
  to: string | undefined,
  now: number,
): ChosenRange {
  const known = rangeNames.find((one) => one === name) ?? "month";
  const month = rangeOf("month", now);
  return { name: known, from: from ?? month.from, to: to ?? month.to };
}

type Bar = {
  at: string;
  micros: number;
  runs: number;
  tokens: number;
  unpricedRuns: number;
  assumedRuns: number;
};
const maxBars = 400;

/**
 * Every day or month of the range, also without usage; a long range starts with its first usage and
 * ends today.
 */
export function fillBars(
  range: DayRange,
  step: "day" | "month",
  bars: readonly Bar[],
  now: number,
): Bar[] {
  const first = bars[0]?.at;
  const last = bars.at(-1)?.at;
  if (first === undefined || last === undefined) return [];
  const known = new Map(bars.map((bar) => [bar.at, bar]));
  const ofStep = (day: string) => (step === "day" ? day : day.slice(0, 7));
  const begins = step === "day" ? range.from : first;
  const today = ofStep(toDay(now));
  const [latest = last] = [today, last].toSorted().toReversed();
  const [ends = last] = [ofStep(range.to), latest].toSorted();
  const filled: Bar[] = [];
  for (
    let at = begins;
    at <= ends && filled.length < maxBars;
    at = step === "day" ? toDay(Date.parse(at) + dayMs) : nextMonth(at)
  )
    filled.push(
      known.get(at) ?? { at, micros: 0, runs: 0, tokens: 0, unpricedRuns: 0, assumedRuns: 0 },
    );
  return filled;
}
