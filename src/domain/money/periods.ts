import { Temporal } from "temporal-polyfill";
import type { BudgetPeriod } from "#contract/budgets.ts";

/** In ms UTC. `startMs` is inclusive, `endMs` exclusive. */
export type Period = { startMs: number; endMs: number };

/** The start and length of each period. */
const calendar: Record<
  Exclude<BudgetPeriod, "total">,
  { start(now: Temporal.ZonedDateTime): Temporal.ZonedDateTime; length: Temporal.DurationLike }
> = {
  day: { start: (now) => now.startOfDay(), length: { days: 1 } },
  month: { start: (now) => now.with({ day: 1 }).startOfDay(), length: { months: 1 } },
};
/** The period of a total budget, which never ends. */
const always: Period = { startMs: 0, endMs: Number.MAX_SAFE_INTEGER };
const lastFound = new Map<string, Period>();

/**
 * The day or month of a named time zone that contains a moment. A day has 23 or 25 hours when
 * clocks change, and begins at 01:00 if midnight is skipped.
 * @throws RangeError for an unknown time zone
 */
export function periodAt(name: BudgetPeriod, timeZone: string, at: number): Period {
  if (name === "total") return always;
  const key = `${name} ${timeZone}`;
  const known = lastFound.get(key);
  if (known && known.startMs <= at && at < known.endMs) return known;
  const now = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timeZone);
  const { start, length } = calendar[name];
  const first = start(now);
  const next = first.add(length).startOfDay();
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
