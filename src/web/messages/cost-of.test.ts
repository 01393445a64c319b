import { expect, it } from "vitest";
import { costOf, formatLeast, formatPrice, formatSpent, sumOf } from "./format.ts";

const words = (costMicros: number | null, costBasis: "known" | "estimated" | "held" | null) =>
  formatPrice(costOf({ costMicros, costBasis }));

it("a cost says how well it is known", () => {
  expect(words(12_500, "known")).toBe("$0.013");
  expect(words(12_500, "estimated")).toBe("about $0.013");
  expect(words(12_500, "held")).toBe("at most $0.013");
  expect(words(0, "known")).toBe("free");
  expect(words(null, null)).toBe("price unknown");
});

it("a sum with one estimate in it is one", () => {
  expect(formatPrice(sumOf(30_000, [{ costBasis: "known" }, { costBasis: "held" }]))).toBe(
    "about $0.03",
  );
  expect(formatPrice(sumOf(30_000, [{ costBasis: "known" }, { costBasis: null }]))).toBe("$0.03");
});

it("a sum with a cost that nobody knows is the least, and never a plain nothing", () => {
  expect([formatSpent(0, 0), formatSpent(0, 2), formatSpent(30_000, 2)]).toEqual([
    "$0.00",
    "price unknown",
    "at least $0.03",
  ]);
  expect([formatLeast(0, 0), formatLeast(0, 2), formatLeast(30_000, 2)]).toEqual([
    "$0.00",
    "at least $0.00",
    "at least $0.03",
  ]);
});
