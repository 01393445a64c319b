import { expect, it } from "vitest";
import { checkAnswer, checkShape } from "./answer-shape.ts";

it("takes a schema, and says of another where it is wrong", () => {
  expect(
    checkShape({ type: "object", properties: { name: { type: ["string", "null"], pattern: "^a" } }, required: ["name"] }),
  ).toBeUndefined();
  expect(checkShape({ $defs: { tree: { type: "array", items: { $ref: "#/$defs/tree" } } }, $ref: "#/$defs/tree" })).toBeUndefined();
  expect(checkShape([])).toMatchObject({ path: [] });
  expect(checkShape({ properties: { a: { type: "strin" } } })).toMatchObject({
    path: ["properties", "a", "type"],
    message: expect.stringContaining("one of string"),
  });
  expect(checkShape({ properties: { a: { items: { required: "b" } } } })).toMatchObject({ path: ["properties", "a", "items", "required"] });
  expect(checkShape({ properties: { a: { pattern: "(" } } })).toMatchObject({ path: ["properties", "a", "pattern"] });
  expect(checkShape({ $ref: "#/$defs/gone" })).toMatchObject({ message: "“#/$defs/gone” leads nowhere." });
  // A field may be called as a keyword is.
  expect(checkShape({ properties: { pattern: { type: "string" } } })).toBeUndefined();
});

it("says where an answer does not match", () => {
  const schema = { type: "object", properties: { tides: { type: "array", items: { type: "number" } } }, required: ["tides", "sea"] };
  expect(checkAnswer(schema, { tides: [1, 2], sea: "North" })).toEqual([]);
  const issues = checkAnswer(schema, { tides: [1, "two"] });
  expect(issues.map(({ path }) => path.join("."))).toEqual(expect.arrayContaining(["tides.1", ""]));
});
