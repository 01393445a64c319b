import { Temporal } from "temporal-polyfill";
import type { BudgetPeriod } from "#contract/budgets.ts";

/** From `startMs` on and before `endMs`, in ms UTC. */
export type Period = { startMs: number; endMs: number };

/** What a budget for good counts in: everything. */
const always: Period = { startMs: 0, endMs: Number.MAX_SAFE_INTEGER };
const lastFound = new Map<string, Period>();

/**
 * The day or month of a named time zone that a moment lies in, with its true beginning: a day of 23 or 25 hours where clocks
 * change, one that begins at 01:00 where midnight is skipped.
 * @throws RangeError for a time zone that nobody knows
 */
export function periodAt(name: BudgetPeriod, timeZone: string, at: number): Period {
  if (name === "total") return always;
  const key = `${name} ${timeZone}`;
  const known = lastFound.get(key);
  if (known && known.startMs <= at && at < known.endMs) return known;
  const now = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timeZone);
  const first = name === "day" ? now.startOfDay() : now.with({ day: 1 }).startOfDay();
  const next = first.add(name === "day" ? { days: 1 } : { months: 1 }).startOfDay();
  const found = { startMs: first.epochMilliseconds, endMs: next.epochMilliseconds };
  lastFound.set(key, found);
  return found;
}

/** Whether this machine knows a time zone by its IANA name. */
export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}
