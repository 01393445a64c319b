import { expect, it } from "vitest";
import { lineOf } from "./line-of.ts";
import { readShape } from "./read-shape.ts";

const text = `{
  "type": "object",
  "properties": {
    "a\\"b": { "type": "string", "enum": ["x", "]"] },
    "sea": {
      "type": "strin"
    }
  }
}`;

it("finds the line of an error", () => {
  expect(lineOf(text, ["properties", 'a"b', "enum", "1"])).toBe(4);
  expect(lineOf(text, ["properties", "sea", "type"])).toBe(6);
  expect(lineOf(text, [])).toBe(1);
  expect(lineOf(text, ["properties", "gone"])).toBe(3);
  expect(lineOf('[1, {"a": [true, null, -2.5e3]}]', ["1", "a", "2"])).toBe(1);
});

it("reads nothing, a schema, or an error with its line", () => {
  expect(readShape("  \n")).toEqual({ kind: "none" });
  expect(readShape('{"type": "object"}')).toEqual({ kind: "schema", schema: { type: "object" } });
  expect(readShape(text)).toMatchObject({ kind: "schema-wrong", line: 6 });
  expect(readShape('{\n  "type": "object",\n}')).toMatchObject({ kind: "json", line: 3 });
  expect(readShape('{\n  "type": ')).toMatchObject({ kind: "json", line: 2 });
});
