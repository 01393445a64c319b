import { expect, it } from "vitest";
import { formatSpan, formatStep, roundAbove } from "./days.ts";

it("days are written as UTC days", () => {
  expect(formatStep("2026-11-01", "long")).toBe("November 1, 2026");
  expect(formatStep("2026-11", "long")).toBe("November 2026");
  expect(formatStep("2026-11-30", "short")).toBe("Nov 30");
  expect(formatSpan({ from: "2026-11-21", to: "2026-11-21" })).toBe("November 21, 2026");
});

it("the axis ends at a round number", () => {
  expect([0, 1, 900, 1_000, 1_001, 4_200_000, 27_600_000, 99_000_000].map(roundAbove)).toEqual([
    1e6, 1, 1_000, 1_000, 2_000, 6e6, 30e6, 100e6,
  ]);
});
