import fc from "fast-check";
import { expect, it } from "vitest";
import { formatDollars, parseDollars } from "./parse-dollars.ts";

it.each([
  ["25", 25_000_000],
  ["$0.50", 500_000],
  [".5", 500_000],
  ["7.", 7_000_000],
  ["1,200", 1_200_000_000],
  ["1,200,000.25", 1_200_000_250_000],
  ["0,5", 500_000],
  ["10,50", 10_500_000],
  [" 1 000 ", 1_000_000_000],
  ["0.000001", 1],
  ["0", 0],
])("%s is %d micro-dollars", (text, micros) => {
  expect(parseDollars(text)).toBe(micros);
});

it.each([
  "",
  "$",
  ".",
  "-5",
  "ten",
  "1.2.3",
  "1e5",
  "0.0000001",
  "1,2000",
  "99999999999999999999",
  "5 €",
])("%j is not an amount", (text) => {
  expect(parseDollars(text)).toBeUndefined();
});

it("a typed amount is read back the same, to the micro-dollar", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 1e15 }),
      (micros) => parseDollars(formatDollars(micros)) === micros,
    ),
  );
});
