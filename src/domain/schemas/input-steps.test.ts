import { dereference, validate } from "@cfworker/json-schema";
import { expect, it } from "vitest";
import type { JsonObject, JsonSchema } from "#contract/json.ts";
import { checkInput } from "./input-schema.ts";
import { inputDepthMost, inputStepsMost, stepsOf } from "./input-steps.ts";

/** A tree with one kind of node, whose levels are visited once. */
const tree = (): JsonSchema => ({
  type: "object",
  properties: { inner: { $ref: "#" }, name: { type: "string" } },
  additionalProperties: false,
});
/**
 * Two kinds of node with different tags and the same inner part, which a validator without a cache
 * visits twice per level.
 */
const twoKinds = (): JsonSchema => ({
  anyOf: ["and", "or"].map((word) => ({
    type: "object",
    properties: { is: { const: word }, inner: { $ref: "#" } },
  })),
});
const nested = (levels: number, leaf: JsonObject = {}, each: JsonObject = {}): JsonObject =>
  levels === 0 ? leaf : { ...each, inner: nested(levels - 1, leaf, each) };
const countOf = (schema: JsonSchema, input: JsonObject) =>
  stepsOf(dereference(schema), schema, input);
const refusal = [
  expect.objectContaining({
    field: "",
    message: expect.stringMatching(/^The input is nested too deeply or too large/),
  }),
];

it("an input of 30 levels is checked against a recursive schema down to its innermost field", () => {
  expect(checkInput(tree(), nested(30, { name: "leaf" }))).toEqual([]);
  const [issue] = checkInput(tree(), nested(30, { name: 4 }));
  expect(issue).toMatchObject({ field: `${"inner.".repeat(30)}name` });
  const [ten, twenty, thirty] = [10, 20, 30].map(
    (levels) => countOf(tree(), nested(levels)).steps,
  ) as [number, number, number];
  expect(thirty - twenty).toBe(twenty - ten);
});

it("an input that would double the work at each of its 30 levels is refused before the first step", () => {
  expect(checkInput(twoKinds(), nested(8, {}, { is: "or" }))).toEqual([]);
  // Read in each step on the root, of which there would be 2 to the power of 30.
  let reads = 0;
  const { anyOf } = twoKinds();
  const root = Object.defineProperty({}, "anyOf", {
    enumerable: true,
    get() {
      if (++reads > 200) throw new Error("It is gone through again and again.");
      return anyOf;
    },
  });
  expect(checkInput(root, nested(30, {}, { is: "or" }))).toEqual(refusal);
});

it("counts the validator's steps, field by field, list by list and branch by branch", () => {
  let visits = 0;
  const node = (schema: JsonSchema): JsonSchema =>
    Object.defineProperty(schema, "const", { get: () => void visits++ }) as JsonSchema;
  const any = () => node({});
  const schema = node({
    properties: { a: node({ anyOf: [any(), node({ allOf: [any(), any()] })] }) },
    patternProperties: { "^x": any() },
    additionalProperties: any(),
    propertyNames: any(),
    items: any(),
    oneOf: [
      node({ properties: { list: node({ items: any(), contains: any() }) } }),
      node({ not: any() }),
    ],
    if: node({}),
    // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
    then: any(),
  });
  const input = { a: { b: 1 }, x1: 2, rest: 3, list: [1, 2, 3] };
  const { steps } = countOf(schema, input);
  visits = 0;
  validate(input, schema, "2020-12", dereference(schema), false);
  expect(steps).toBe(visits);
});

it("an input that is too deep or has too many parts is refused with a sentence", () => {
  expect(checkInput(tree(), nested(inputDepthMost))).toEqual(refusal);
  const list = { properties: { list: { items: { type: "integer" } } } };
  expect(checkInput(list, { list: Array.from({ length: 1_000 }, (_, i) => i) })).toEqual([]);
  expect(checkInput(list, { list: Array.from({ length: inputStepsMost }, (_, i) => i) })).toEqual(
    refusal,
  );
});

it("a schema that recurses at the same part is refused", () => {
  expect(checkInput({ allOf: [{ $ref: "#" }] }, { a: 1 })).toEqual(refusal);
});
