import { expect, it } from "vitest";
import type { JsonSchema } from "#contract/json.ts";
import { pictureShapes } from "#contract/picture-shapes.ts";
import {
  askedRatio,
  askedShape,
  inShape,
  ratioInShape,
  ratioOf,
  shapeFieldsOf,
} from "./picture-shape.ts";

const form = (properties: Record<string, JsonSchema>, more: JsonSchema = {}): JsonSchema => ({
  type: "object",
  properties,
  ...more,
});
const integer = (minimum: number, maximum: number, multipleOf = 1): JsonSchema => ({
  type: "integer",
  minimum,
  maximum,
  multipleOf,
});
const measures = form({ width: integer(64, 2048), height: integer(64, 2048) });
const named = { enum: ["square_hd", "square", "portrait_4_3", "landscape_16_9"] };

/** A form for each way in which services accept a shape. */
const forms: Record<string, JsonSchema> = {
  ratios: form({
    aspect_ratio: { type: "string", enum: ["match_input_image", "1:1", "16:9", "9:16"] },
  }),
  "a list of sizes": form({
    size: { type: "string", enum: ["auto", "1024x1024", "1536x1024", "1024x1536", "512x512"] },
  }),
  "sizes as examples": form({
    size: { type: "string", examples: ["auto", "1024x1024", "1536x1024"] },
  }),
  "a size as text": form({
    size: { type: "string", default: "1024x1024", pattern: "^\\d+x\\d+$" },
  }),
  "two sides": form({ width: integer(256, 1440, 32), height: integer(256, 1440, 32) }),
  "names or sides": form({ image_size: { anyOf: [measures, named], default: "landscape_16_9" } }),
  "names or sides, elsewhere": form(
    { image_size: { anyOf: [{ $ref: "#/$defs/Size" }, named] } },
    { $defs: { Size: measures } },
  ),
};

it("reads the shape from a value", () => {
  expect([
    ratioOf("1:1"),
    ratioOf("1024x768"),
    ratioOf("portrait_4_3"),
    ratioOf("square_hd"),
    ratioOf("auto"),
  ]).toEqual([1, 1024 / 768, 3 / 4, 1, undefined]);
});

it("one shape fits every way of asking for a size", () => {
  const filled = Object.fromEntries(
    Object.entries(forms).map(([name, schema]) => [name, inShape(schema, { prompt: "x" }, "16:9")]),
  );
  expect(filled).toEqual({
    ratios: { prompt: "x", aspect_ratio: "16:9" },
    "a list of sizes": { prompt: "x", size: "1536x1024" },
    "sizes as examples": { prompt: "x", size: "1536x1024" },
    "a size as text": { prompt: "x", size: "1360x768" },
    "two sides": { prompt: "x", width: 1376, height: 768 },
    "names or sides": { prompt: "x", image_size: "landscape_16_9" },
    "names or sides, elsewhere": { prompt: "x", image_size: "landscape_16_9" },
  });
});

it("of two sizes with the same shape, the one nearest to the model's default is used", () => {
  expect(inShape(forms["a list of sizes"]!, {}, "1:1")).toEqual({ size: "1024x1024" });
});

it("a shape without a preset becomes width and height, in steps and within bounds", () => {
  expect(inShape(forms["names or sides"]!, {}, "2:3")).toEqual({
    image_size: { width: 627, height: 941 },
  });
  const narrow = form({ width: integer(256, 1024, 64), height: integer(256, 1024, 64) });
  expect(inShape(narrow, {}, "21:9")).toEqual({ width: 1024, height: 448 });
});

it("a shape replaces the size that was set before", () => {
  const schema = form({
    aspect_ratio: { enum: ["1:1", "16:9"] },
    size: { enum: ["1K", "1024x1024"] },
  });
  expect(inShape(schema, { size: "1024x1024", seed: 1 }, "16:9")).toEqual({
    seed: 1,
    aspect_ratio: "16:9",
  });
});

it("a crop rectangle, a quality in K and a form without a size stay unchanged", () => {
  const crop = form({
    x: integer(0, 9),
    y: integer(0, 9),
    width: integer(1, 9),
    height: integer(1, 9),
  });
  const google = form({ imageSize: { enum: ["1K", "2K", "4K"] } });
  for (const schema of [crop, google, form({}), null]) {
    expect(shapeFieldsOf(schema)).toEqual([]);
    expect(inShape(schema, { x: 1 }, "1:1")).toEqual({ x: 1 });
    expect(ratioInShape(schema, "1:1")).toBeNull();
  }
});

it("the requested shape is read back, whatever its field is called", () => {
  for (const schema of Object.values(forms))
    for (const shape of pictureShapes)
      expect(askedRatio(inShape(schema, {}, shape))).toBeCloseTo(ratioInShape(schema, shape)!, 5);
  expect(askedShape(forms["names or sides"]!, {})).toBe("16:9");
  expect(askedShape(forms["names or sides"]!, { image_size: { width: 500, height: 500 } })).toBe(
    "1:1",
  );
  expect(askedShape(forms.ratios!, {})).toBeNull();
});
