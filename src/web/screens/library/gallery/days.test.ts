import { expect, it } from "vitest";
import { cutDays, cutMonths, dayOf } from "./days.ts";

const at = (text: string) => new Date(text).getTime();
const times = [
  { at: at("2026-03-02T23:00"), count: 1 },
  { at: at("2026-03-02T00:00"), count: 1 },
  { at: at("2026-03-01T23:45"), count: 1 },
  { at: at("2026-02-11T08:00"), count: 2 },
];

it("cuts quarters of an hour, newest first, at each midnight of this device", () => {
  const days = cutDays(times);
  expect(days.map(({ start, count }) => [start, count])).toEqual([
    [0, 2],
    [2, 1],
    [3, 2],
  ]);
  expect(days[2]?.at).toBe(times[3]!.at);
});

it("finds the day of an item, and the first of each month", () => {
  const days = cutDays(times);
  expect([0, 1, 2, 3, 4].map((index) => dayOf(days, index)?.start)).toEqual([0, 0, 2, 3, 3]);
  expect(cutMonths(days).map(({ start }) => start)).toEqual([0, 3]);
});

it("no times give no days", () => {
  expect(cutDays([])).toEqual([]);
  expect(dayOf([], 0)).toBeUndefined();
});
