import fc from "fast-check";
import { expect, it } from "vitest";
import { multiplyToMicros } from "./money.ts";

it("a cost is exact and rounded up to a micro once", () => {
  expect(multiplyToMicros("2", "25000")).toBe(50_000);
  expect(multiplyToMicros("1.5", "0.1")).toBe(1);
  expect(multiplyToMicros("0.1", "3")).toBe(1);
  expect(multiplyToMicros("0", "3")).toBe(0);
});

it("what is no number is unknown, not 0", () => {
  for (const text of ["", "abc", "-1", "1e3", "NaN", "Infinity"]) expect(multiplyToMicros(text, "1")).toBeNull();
});

it("the cost is never below the true product and less than a micro above it", () => {
  fc.assert(
    fc.property(fc.nat({ max: 10_000 }), fc.nat({ max: 999 }), fc.nat({ max: 1_000_000 }), (whole, part, rate) => {
      const cost = BigInt(multiplyToMicros(`${whole}.${String(part).padStart(3, "0")}`, String(rate))!);
      const exact = BigInt(whole * 1000 + part) * BigInt(rate);
      expect(cost * 1000n >= exact && (cost - 1n) * 1000n < exact).toBe(true);
    }),
  );
});
