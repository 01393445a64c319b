import { expect, it } from "vitest";
import { chosenRange, fillBars, rangeOf, readRange } from "./range.ts";

const now = Date.parse("2026-03-01T00:30:00Z");
const bar = (at: string, micros = 5) => ({
  at,
  micros,
  runs: 1,
  tokens: 0,
  unpricedRuns: 0,
  assumedRuns: 0,
});

it("named ranges are UTC days", () => {
  expect(rangeOf("today", now)).toEqual({ from: "2026-03-01", to: "2026-03-01" });
  expect(rangeOf("week", now)).toEqual({ from: "2026-02-23", to: "2026-03-01" });
  expect(rangeOf("month", now)).toEqual({ from: "2026-03-01", to: "2026-03-01" });
  expect(rangeOf("last", now)).toEqual({ from: "2026-02-01", to: "2026-02-28" });
  expect(rangeOf("last", Date.parse("2026-01-31T23:59:59Z"))).toEqual({
    from: "2025-12-01",
    to: "2025-12-31",
  });
});

it("a custom range shows its error at its field", () => {
  const any = (from: string, to: string) => readRange({ name: "any", from, to }, now);
  expect(any("2026-01-01", "2026-01-31")).toEqual({
    range: { from: "2026-01-01", to: "2026-01-31" },
  });
  expect(any("", "2026-01-31")).toEqual({ problem: { field: "from", why: "needed" } });
  expect(any("2026-01-31", "2026-02-31x")).toEqual({ problem: { field: "to", why: "needed" } });
  expect(any("2026-02-01", "2026-01-31")).toEqual({ problem: { field: "to", why: "order" } });
});

it("an unknown range in the address means this month", () => {
  expect(chosenRange("forever", undefined, undefined, now)).toMatchObject({ name: "month" });
});

it("days without usage have an empty bar, future days have none", () => {
  const filled = fillBars(
    { from: "2026-02-26", to: "2026-03-31" },
    "day",
    [bar("2026-02-27")],
    now,
  );
  expect(filled.map(({ at, micros }) => [at, micros])).toEqual([
    ["2026-02-26", 0],
    ["2026-02-27", 5],
    ["2026-02-28", 0],
    ["2026-03-01", 0],
  ]);
});

it("a long range starts with the month of its first usage", () => {
  const filled = fillBars(
    { from: "2000-01-01", to: "2100-01-01" },
    "month",
    [bar("2025-11"), bar("2026-01")],
    now,
  );
  expect(filled.map(({ at }) => at)).toEqual([
    "2025-11",
    "2025-12",
    "2026-01",
    "2026-02",
    "2026-03",
  ]);
});

it("usage on a day after this machine's date has a bar too", () => {
  expect(
    fillBars({ from: "2026-03-01", to: "2026-03-31" }, "day", [bar("2026-03-02")], now).map(
      ({ at }) => at,
    ),
  ).toEqual(["2026-03-01", "2026-03-02"]);
});

it("no usage has no bars", () => {
  expect(fillBars({ from: "2026-03-01", to: "2026-03-31" }, "day", [], now)).toEqual([]);
});
