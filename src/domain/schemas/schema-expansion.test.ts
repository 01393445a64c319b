import { expect, it } from "vitest";
import type { JsonSchema } from "#contract/json.ts";
import { checkAnswer, checkShape } from "./answer-shape.ts";
import { expansionOf } from "./schema-expansion.ts";

/** Each step refers to the next twice. */
const doubling = (
  levels: number,
  wrap: (next: JsonSchema) => JsonSchema = (next) => next,
): JsonSchema => {
  const steps = Array.from({ length: levels }, (_, n): [string, JsonSchema] => {
    const next = wrap({ $ref: `#/$defs/a${n + 1}` });
    return [`a${n}`, { allOf: [next, next] }];
  });
  return { $ref: "#/$defs/a0", $defs: { ...Object.fromEntries(steps), [`a${levels}`]: {} } };
};

it("a small schema that expands without end is refused before anything is checked against it", () => {
  expect(checkShape(doubling(40))).toMatchObject({ message: expect.stringContaining("10000") });
  expect(checkShape(doubling(4))).toBeUndefined();
  expect(expansionOf(doubling(40, (next) => ({ properties: { x: next } })))).toBeGreaterThan(
    10_000,
  );
  expect(checkAnswer(doubling(40) as never, {})).toEqual([]);
});

it("a loop is refused if it stays at the same value, and accepted if it descends", () => {
  expect(
    expansionOf({
      $ref: "#/$defs/a",
      $defs: { a: { anyOf: [{ $ref: "#/$defs/b" }] }, b: { $ref: "#/$defs/a" } },
    }),
  ).toBe(Infinity);
  expect(checkShape({ $ref: "#" })).toMatchObject({ message: expect.stringContaining("10000") });
  expect(
    expansionOf({ type: "object", properties: { left: { $ref: "#" }, right: { $ref: "#" } } }),
  ).toBeLessThan(10);
  // Loops inside values don't hide repeated visits of the same value.
  const steps = Array.from({ length: 40 }, (_, n): [string, JsonSchema] => {
    const before = { $ref: `#/$defs/t${n}` };
    return [
      `t${n + 1}`,
      { allOf: [before, before], properties: { x: { $ref: `#/$defs/t${Math.min(n + 2, 40)}` } } },
    ];
  });
  expect(
    expansionOf({
      $ref: "#/$defs/t0",
      $defs: { t0: { properties: { x: { $ref: "#/$defs/t1" } } }, ...Object.fromEntries(steps) },
    }),
  ).toBeGreaterThan(10_000);
});

it("no regular expression of a shape runs on an answer", () => {
  const shape = {
    type: "object",
    properties: { a: { type: "string", pattern: "^(x+)+$" }, pattern: { type: "string" } },
  };
  expect(checkShape(shape)).toBeUndefined();
  expect(checkAnswer(shape, { a: "y", pattern: 1 })).toMatchObject([{ path: ["pattern"] }]);
  expect(checkShape({ type: "object", patternProperties: { "^a": {} } })).toMatchObject({
    path: ["patternProperties"],
  });
});
