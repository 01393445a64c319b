import { expect, it } from "vitest";
import { Problem } from "#contract/errors.ts";
import { cleanJson } from "./clean-json.ts";

const nested = (depth: number): unknown => JSON.parse("[".repeat(depth) + "]".repeat(depth));

it("text and keys at any depth lose U+0000 and half surrogate pairs, everything else stays as it came", () => {
  const given = JSON.parse('{"a\\u0000":["\\ud800",{"b":"x\\u0000"},null,1.5,true,"😀 é"],"__proto__":{"c":1}}');
  const cleaned = cleanJson(given);
  expect(JSON.stringify(cleaned)).toBe('{"a\uFFFD":["\uFFFD",{"b":"x\uFFFD"},null,1.5,true,"😀 é"],"__proto__":{"c":1}}');
  expect(Object.getPrototypeOf(cleaned)).toBe(Object.prototype);
});

it("what nests deeper than 64 levels or holds more than 100,000 values is refused", () => {
  expect(cleanJson(nested(65))).toEqual(nested(65));
  expect(() => cleanJson(nested(66))).toThrow(Problem);
  expect(() => cleanJson(nested(1_000_000))).toThrow(Problem);
  expect(() => cleanJson(Array(99_999).fill(0))).not.toThrow();
  expect(() => cleanJson(Array(100_000).fill(0))).toThrow(Problem);
});
