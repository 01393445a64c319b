import { expect, it } from "vitest";
import type { JsonSchema } from "#contract/json.ts";
import { cropFieldOf, errorPlace, fileFieldsOf, putFile } from "./field-facts.ts";

const object = (properties: Record<string, JsonSchema>, required: string[] = []): JsonSchema => ({
  type: "object",
  properties,
  required,
});
const picture: JsonSchema = { type: "string", "x-file": "image" };

it("files are found as single fields, optional, in lists, and by an address's media type", () => {
  const schema = object({
    image: picture,
    end: { anyOf: [{ type: "string", format: "uri", "x-file": "video" }, { type: "null" }] },
    images: { anyOf: [{ type: "array", items: picture, maxItems: 3 }, { type: "null" }] },
    file: { type: "string", format: "uri", contentMediaType: "audio/*" },
    link: { type: "string" },
  });
  expect(fileFieldsOf(schema).map(({ name, kind, isList }) => [name, kind, isList])).toEqual([
    ["image", "image", false],
    ["end", "video", false],
    ["images", "image", true],
    ["file", "audio", false],
  ]);
});

it("a file goes into the required field first, then into an empty one, and replaces one only if all are full", () => {
  const schema = object({ style: picture, image: picture }, ["image"]);
  const first = putFile(schema, {}, { id: "1", kind: "image" });
  expect(first).toEqual({ image: "asset:1" });
  const second = putFile(schema, first!, { id: "2", kind: "image" });
  expect(second).toEqual({ image: "asset:1", style: "asset:2" });
  expect(putFile(schema, second!, { id: "3", kind: "image" })).toEqual({
    image: "asset:3",
    style: "asset:2",
  });
});

it("a form without a field for a kind of file says so", () => {
  expect(putFile(object({ image: picture }), {}, { id: "1", kind: "audio" })).toBeNull();
});

it("a rectangle in pixels with a picture is a crop; without a picture it is only a size", () => {
  const side: JsonSchema = { type: "integer" };
  expect(cropFieldOf(object({ image: picture, x: side, y: side, width: side, height: side }))).toBe(
    "image",
  );
  expect(cropFieldOf(object({ x: side, y: side, width: side, height: side }))).toBeNull();
  expect(cropFieldOf(object({ image: picture, width: side, height: side }))).toBeNull();
});

it("a provider's description of the width is shown at the size for a named size, and at the width for a custom one", () => {
  expect(errorPlace({ image_size: "square" }, "input.image_size.width")).toBe("image_size");
  expect(errorPlace({}, "image_size.width")).toBe("image_size");
  expect(errorPlace({ image_size: { width: 9 } }, "image_size.width")).toBe("image_size.width");
});
