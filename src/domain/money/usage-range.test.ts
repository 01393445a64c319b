import { expect, it } from "vitest";
import {
  dayBefore,
  dayMs,
  daysIn,
  daysShownMost,
  nextMonth,
  splitByMonth,
  stepOf,
} from "./usage-range.ts";

it("a range of whole months is read only by month", () => {
  expect(splitByMonth({ from: "2026-01-01", to: "2026-12-31" })).toEqual({
    months: { from: "2026-01", to: "2026-12" },
    days: [],
  });
});

it("days before and after the whole months are read by day, none twice", () => {
  expect(splitByMonth({ from: "2025-11-15", to: "2026-03-09" })).toEqual({
    months: { from: "2025-12", to: "2026-02" },
    days: [
      { from: "2025-11-15", to: "2025-11-30" },
      { from: "2026-03-01", to: "2026-03-09" },
    ],
  });
  expect(splitByMonth({ from: "2024-01-02", to: "2024-04-30" }).days).toEqual([
    { from: "2024-01-02", to: "2024-01-31" },
  ]);
});

it("a range of two months is shown by day, a longer one by month", () => {
  expect(daysIn({ from: "2026-07-01", to: "2026-08-31" })).toBe(62);
  expect(stepOf({ from: "2026-07-01", to: "2026-08-31" })).toBe("day");
  expect(stepOf({ from: "2026-06-30", to: "2026-08-31" })).toBe("month");
});

it("a range shown by month contains a whole month, wherever it starts", () => {
  for (let at = Date.UTC(2023, 11, 25); at < Date.UTC(2025, 1, 5); at += dayMs) {
    const day = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
    const range = { from: day(at), to: day(at + daysShownMost * dayMs) };
    const { months, days } = splitByMonth(range);
    expect(months.from <= months.to).toBe(true);
    const whole = { from: `${months.from}-01`, to: dayBefore(`${nextMonth(months.to)}-01`) };
    expect(days.reduce((sum, part) => sum + daysIn(part), daysIn(whole))).toBe(daysIn(range));
  }
});
