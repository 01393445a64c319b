import { expect, it } from "vitest";
import {
  costOf,
  expectedPrice,
  formatAtLeast,
  formatLeastShare,
  formatMoney,
  formatPrice,
  formatSpent,
  type Price,
  sumPrices,
} from "./format.ts";

const words = (costMicros: number | null, costBasis: "known" | "estimated" | "held" | null) =>
  formatPrice(costOf({ costMicros, costBasis }));

it("a cost says how certain it is", () => {
  expect(words(12_500, "known")).toBe("$0.013");
  expect(words(12_500, "estimated")).toBe("about $0.013");
  expect(words(12_500, "held")).toBe("at most $0.013");
  expect(words(0, "known")).toBe("free");
  expect(words(null, null)).toBe("price unknown");
});

const together = (...prices: Price[]) => formatPrice(sumPrices(prices));
const exact: Price = { kind: "exact", micros: 10_000 };
const about: Price = { kind: "about", micros: 20_000, mostMicros: 50_000 };
const atMost: Price = { kind: "at-most", micros: 40_000 };
const unbounded: Price = { kind: "about", micros: 20_000 };

it("a sum is as certain as the least certain of its parts", () => {
  expect(together(exact, exact, { kind: "free" })).toBe("$0.02");
  expect(together(exact, about)).toBe("about $0.03");
  expect(sumPrices([exact, about])).toMatchObject({ mostMicros: 60_000 });
  expect(together(exact, about, atMost)).toBe("at most $0.10");
  expect(together(unbounded, atMost)).toBe("about $0.06");
  expect(together({ kind: "free" }, { kind: "free" })).toBe("free");
  expect(together({ kind: "free" }, { kind: "assumed" })).toBe("probably not charged");
  expect(together({ kind: "elsewhere", micros: 10_000 })).toBe("$0.01 paid elsewhere");
});

it("a sum with an unknown price is at least the known ones, and bounds don't count", () => {
  expect(together({ kind: "unknown" }, exact, about, atMost)).toBe("at least $0.03");
  expect(together(sumPrices([{ kind: "unknown" }, exact]), exact)).toBe("at least $0.02");
  expect(together({ kind: "unknown" }, atMost, { kind: "free" })).toBe("price unknown");
});

it("a sum with an unknown cost is a minimum, and never zero", () => {
  expect([formatSpent(0, 0), formatSpent(0, 2), formatSpent(30_000, 2)]).toEqual([
    "$0.00",
    "price unknown",
    "at least $0.03",
  ]);
  expect([formatAtLeast(0, 0), formatAtLeast(0, 2), formatAtLeast(30_000, 2)]).toEqual([
    "$0.00",
    "at least $0.00",
    "at least $0.03",
  ]);
});

it("a share of a limit with an unknown cost is a minimum too", () => {
  expect([formatLeastShare(0, 0), formatLeastShare(0, 2)]).toEqual(["0%", "at least 0%"]);
});

it("an estimate is free only if nothing can be charged", () => {
  const words = (likelyMicros: number | null, mostMicros: number | null) =>
    formatPrice(expectedPrice({ likelyMicros, mostMicros }));
  expect(words(0, 0)).toBe("free");
  expect(words(0, 40_000)).toBe("at most $0.04");
  expect(words(20_000, 40_000)).toBe("about $0.02");
  expect(words(20_000, null)).toBe("about $0.02");
  expect(words(null, 40_000)).toBe("at most $0.04");
  expect(words(null, null)).toBe("price unknown");
});

it("a cost below a micro-dollar isn't shown as nothing", () => {
  expect([formatMoney(0), formatMoney(1), formatMoney(0.15)]).toEqual([
    "$0.00",
    "$0.000001",
    "$0.00000015",
  ]);
});
