import { afterEach, expect, it } from "vitest";
import { formatDay, formatMoney, formatWhen } from "./format.ts";
import { getRegion, setRegion } from "./region.ts";

afterEach(() => setRegion({ locale: "en" }));

const at = Date.UTC(2026, 10, 21, 23, 30);

it("a day begins at midnight in the person's zone, not the machine's", () => {
  setRegion({ locale: "en", timeZone: "Asia/Tokyo" });
  expect(formatDay(at, at + 2 * 3_600_000)).toBe("Today");
  expect(formatWhen(at, at + 2 * 3_600_000)).toBe("today 08:30");
  setRegion({ locale: "en", timeZone: "UTC" });
  expect(formatDay(at, at + 2 * 3_600_000)).toBe("Yesterday");
});

it("numbers follow the chosen format", () => {
  setRegion({ locale: "de-DE", timeZone: "UTC" });
  expect(formatMoney(1_204_500_000).replace(/\s/g, " ")).toBe("1.204,50 $");
});

it("an unknown time zone leaves dates readable", () => {
  setRegion({ locale: "en-GB", timeZone: "Mars/Olympus" });
  expect(getRegion()).toEqual({ locale: "en-GB" });
});
