import { expect, it } from "vitest";
import { nearnessOf, periodNow, sharesOf } from "./budget-text.ts";

const standing = (spentMicros: number, heldMicros = 0, limitMicros = 10_000_000) => ({
  spentMicros,
  heldMicros,
  limitMicros,
});

it("a budget is nearly used from 80%, and used up when spent and reserved amounts reach it", () => {
  expect(nearnessOf(standing(7_999_999))).toBe("far");
  expect(nearnessOf(standing(8_000_000))).toBe("near");
  expect(nearnessOf(standing(5_000_000, 4_999_999))).toBe("far");
  expect(nearnessOf(standing(5_000_000, 5_000_000))).toBe("used");
  expect(nearnessOf(standing(0, 0, 0))).toBe("used");
});

it("a limit of zero is full, and spending over a limit is more than full", () => {
  expect(sharesOf(standing(0, 0, 0))).toEqual({ spent: 1, taken: 1 });
  expect(sharesOf(standing(12_000_000))).toEqual({ spent: 1.2, taken: 1.2 });
});

it("a month is in the budget's own time zone", () => {
  const periodStart = Date.UTC(2026, 9, 31, 14);
  expect(periodNow({ period: "month", periodStart, timeZone: "Pacific/Kiritimati" })).toBe(
    "November",
  );
});
