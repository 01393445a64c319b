import type { Layout } from "../../../data/queries/library.queries.ts";

/** A day of the gallery: the index of its first item, its count, and a time in it in ms. */
export type Day = { start: number; count: number; at: number };

/**
 * Groups quarter hours, in either order, into days of the device's time zone. Days in every time
 * zone start on a quarter hour.
 */
export function cutDays(times: Layout["times"]): Day[] {
  const days: Day[] = [];
  let dayStart = Number.NaN;
  let start = 0;
  for (const { at, count } of times) {
    const day = days.at(-1);
    const of = new Date(at).setHours(0, 0, 0, 0);
    if (day && of === dayStart) day.count += count;
    else {
      dayStart = of;
      days.push({ start, count, at });
    }
    start += count;
  }
  return days;
}

/** The index of the first item of each group. */
export function startsOf(groups: readonly { count: number }[]): number[] {
  let next = 0;
  return groups.map(({ count }) => {
    const start = next;
    next += count;
    return start;
  });
}

/** A month of the scrubber: the index of its first item, and a time in it in ms. */
export type Month = { start: number; at: number };

export function cutMonths(days: readonly Day[]): Month[] {
  const months: Month[] = [];
  let before = "";
  for (const { start, at } of days) {
    const date = new Date(at);
    const month = `${date.getFullYear()} ${date.getMonth()}`;
    if (month !== before) months.push({ start, at });
    before = month;
  }
  return months;
}

/** The day that holds an item. */
export function dayOf(days: readonly Day[], index: number): Day | undefined {
  let low = 0;
  let high = days.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((days[middle]?.start ?? 0) <= index) low = middle;
    else high = middle - 1;
  }
  return days[low];
}
