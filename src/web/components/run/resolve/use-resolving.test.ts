import { expect, it } from "vitest";
import { readDollars } from "./use-resolving.ts";

it("reads dollars as people write them, and an empty field as none", () => {
  expect(["0.40", "$1", "0,025", " 12.5 ", "0", ""].map(readDollars)).toEqual([
    400_000,
    1_000_000,
    25_000,
    12_500_000,
    0,
    null,
  ]);
});

it("refuses other text as an amount, and less than a micro-dollar", () => {
  expect(["about a dollar", "-1", "1.2.3", "0.0000001"].map(readDollars)).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});
