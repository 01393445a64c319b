import { expect, it } from "vitest";
import { checkAnswer, checkShape } from "./answer-shape.ts";

it("accepts a valid schema, and says where another is wrong", () => {
  expect(
    checkShape({
      type: "object",
      properties: { name: { type: ["string", "null"], pattern: "^a" } },
      required: ["name"],
    }),
  ).toBeUndefined();
  expect(
    checkShape({
      $defs: { tree: { type: "array", items: { $ref: "#/$defs/tree" } } },
      $ref: "#/$defs/tree",
    }),
  ).toBeUndefined();
  expect(checkShape([])).toMatchObject({ path: [] });
  expect(checkShape({ properties: { a: { type: "strin" } } })).toMatchObject({
    path: ["properties", "a", "type"],
    message: expect.stringContaining("one of string"),
  });
  expect(checkShape({ properties: { a: { items: { required: "b" } } } })).toMatchObject({
    path: ["properties", "a", "items", "required"],
  });
  expect(checkShape({ properties: { a: { pattern: "(" } } })).toMatchObject({
    path: ["properties", "a", "pattern"],
  });
  expect(checkShape({ $ref: "#/$defs/gone" })).toMatchObject({
    message: "“#/$defs/gone” does not exist.",
  });
  // A field may have the name of a keyword.
  expect(checkShape({ properties: { pattern: { type: "string" } } })).toBeUndefined();
});

it("says where an answer doesn't match", () => {
  const schema = {
    type: "object",
    properties: { tides: { type: "array", items: { type: "number" } } },
    required: ["tides", "sea"],
  };
  expect(checkAnswer(schema, { tides: [1, 2], sea: "North" })).toEqual([]);
  const issues = checkAnswer(schema, { tides: [1, "two"] });
  expect(issues.map(({ path }) => path.join("."))).toEqual(expect.arrayContaining(["tides.1", ""]));
});

/**
 * Two kinds of node with different tags and the same inner part, which a validator without a cache
 * visits twice per level.
 */
const twoKinds = {
  anyOf: ["and", "or"].map((word) => ({
    type: "object",
    properties: { is: { const: word }, inner: { $ref: "#" } },
  })),
};

it("an answer that would double the work at each of its 30 levels isn't checked, and that is reported", () => {
  let reads = 0;
  const nested = (levels: number): object => ({
    get is() {
      if (++reads > 1_000) throw new Error("It is gone through again and again.");
      return "or";
    },
    ...(levels > 0 && { inner: nested(levels - 1) }),
  });
  expect(checkShape(twoKinds)).toBeUndefined();
  expect(checkAnswer(twoKinds, nested(4))).toEqual([]);
  expect(checkAnswer(twoKinds, nested(30))).toEqual([
    { path: [], message: expect.stringMatching(/^The value is nested too deeply/) },
  ]);
});

it("a shape that is nested too deeply is refused without a crash", () => {
  const nested = (levels: number): object => {
    let schema: object = { type: "string" };
    for (let level = 0; level < levels; level++) schema = { type: "array", items: schema };
    return schema;
  };
  expect(checkShape(nested(30))).toBeUndefined();
  expect(checkShape(nested(20_000))).toMatchObject({
    path: [],
    message: expect.stringMatching(/^The schema is nested too deeply/),
  });
});
