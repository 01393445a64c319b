import { expect, it } from "vitest";
import { cleanJson } from "./clean-json.ts";

it("text and keys at any depth lose U+0000 and half surrogate pairs, and nothing else changes", () => {
  const given = JSON.parse(
    '{"a\\u0000":["\\ud800",{"b":"x\\u0000"},null,1.5,true,"😀 é"],"__proto__":{"c":1}}',
  );
  const cleaned = cleanJson(given);
  expect(JSON.stringify(cleaned)).toBe(
    '{"a\uFFFD":["\uFFFD",{"b":"x\uFFFD"},null,1.5,true,"😀 é"],"__proto__":{"c":1}}',
  );
  expect(Object.getPrototypeOf(cleaned)).toBe(Object.prototype);
});
