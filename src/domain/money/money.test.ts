import fc from "fast-check";
import { expect, it } from "vitest";
import { dollarsToMicros, nanoDollarsToMicros, readDollars, sumToMicros } from "./money.ts";

const times = (units: string, micros: string) => sumToMicros([{ units, micros }]);

it("a cost is exact and rounded up to a micro-dollar once", () => {
  expect(times("2", "25000")).toBe(50_000);
  expect(times("1.5", "0.1")).toBe(1);
  expect(times("0.1", "3")).toBe(1);
  expect(times("0", "3")).toBe(0);
  const tenths = Array.from({ length: 10 }, () => ({ units: "1", micros: "0.1" }));
  expect(sumToMicros(tenths)).toBe(1);
  expect(sumToMicros([])).toBe(0);
});

it("a value that isn't a number is unknown, not 0", () => {
  for (const text of ["", "abc", "-1", "1e3", "NaN", "Infinity"])
    expect(times(text, "1")).toBeNull();
  expect(times("9007199254740993", "1")).toBeNull();
});

it("a sum is never below the true one and less than a micro-dollar above it", () => {
  const part = fc.tuple(fc.nat({ max: 10_000 }), fc.nat({ max: 999 }), fc.nat({ max: 1_000_000 }));
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 6 }), (parts) => {
      const cost = BigInt(
        sumToMicros(
          parts.map(([whole, rest, rate]) => ({
            units: `${whole}.${String(rest).padStart(3, "0")}`,
            micros: String(rate),
          })),
        )!,
      );
      const exact = parts.reduce(
        (sum, [whole, rest, rate]) => sum + BigInt(whole * 1000 + rest) * BigInt(rate),
        0n,
      );
      expect(cost * 1000n >= exact && (cost - 1n) * 1000n < exact).toBe(true);
    }),
  );
});

it.each([
  ["0.00000125", "1.25"],
  ["0", "0"],
  ["1", "1000000"],
  ["12.5", "12500000"],
  ["0.0000000001", "0.0001"],
  [0.00001, "10"],
  [1e-7, "0.1"],
  ["2.5E-7", "0.25"],
  [0.1, "100000"],
  [0.00111, "1110"],
  ["-1", null],
  ["free", null],
  ["1e999", null],
  [Number.NaN, null],
  [Number.POSITIVE_INFINITY, null],
  [undefined, null],
])("%s dollars are %s micro-dollars", (dollars, micros) => {
  expect(dollarsToMicros(dollars)).toBe(micros);
});

it.each([
  ["$1,234.5678", "1234567800"],
  ["0.00012", "120"],
  ["12 USD", "12000000"],
  ["US$ 0.5", "500000"],
  ["1,234,567.89", "1234567890000"],
  ["1.2e-5", "12"],
])("an invoice's %s is exact micro-dollars", (text, micros) => {
  expect(readDollars(text)).toBe(micros);
});

it.each(["", "$", "1,23", "0,123", "1,2345", "-1", "€1", "1 2", "$$1", "NaN"])(
  "an invoice's %j is not an amount",
  (text) => {
    expect(readDollars(text)).toBeNull();
  },
);

it("nano-dollars become micro-dollars without loss", () => {
  expect(nanoDollarsToMicros(1_234_567)).toBe("1234.567");
  expect(nanoDollarsToMicros(1)).toBe("0.001");
  expect(nanoDollarsToMicros("25000000")).toBe("25000");
  expect(nanoDollarsToMicros(0)).toBe("0");
  for (const none of [null, undefined, Number.NaN, -5, "", {}])
    expect(nanoDollarsToMicros(none)).toBeNull();
});
