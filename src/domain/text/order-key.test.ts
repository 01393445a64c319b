import { expect, it } from "vitest";
import { keysBetween } from "./order-key.ts";

const areInOrder = (keys: readonly string[]): boolean =>
  keys.every((key, i) => i === 0 || keys[i - 1]! < key);

it("a key sorts between its neighbors, anywhere in a list", () => {
  const keys = keysBetween("", undefined, 500);
  let seed = 7;
  for (let i = 0; i < 3_000; i += 1) {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    const at = seed % (keys.length + 1);
    keys.splice(at, 0, ...keysBetween(keys[at - 1] ?? "", keys[at], 1 + (seed % 3)));
  }
  expect(areInOrder(keys)).toBe(true);
  expect(Math.max(...keys.map(({ length }) => length))).toBeLessThan(60);
});

it("a thousand keys at one place, or at the end, are sorted and short", () => {
  expect(areInOrder(["", ...keysBetween("000001", "000002", 1_000), "000002"])).toBe(true);
  const end = keysBetween("", undefined, 10_000);
  expect(areInOrder(end)).toBe(true);
  expect(Math.max(...end.map(({ length }) => length))).toBe(6);
  let first = end[0]!;
  for (let i = 0; i < 500; i += 1) {
    const [before] = keysBetween("", first, 1);
    expect(before! < first && !before!.endsWith("0")).toBe(true);
    first = before!;
  }
  expect(areInOrder(keysBetween("zzzzzz", undefined, 3))).toBe(true);
});
