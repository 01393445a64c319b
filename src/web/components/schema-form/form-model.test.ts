import { expect, it } from "vitest";
import type { JsonSchema } from "#contract/json.ts";
import type { Control } from "./form-model.ts";
import { readForm } from "./read-form.ts";
import { humanize, nameValue } from "./schema-names.ts";

const object = (properties: Record<string, JsonSchema>, more: JsonSchema = {}): JsonSchema => ({
  type: "object",
  properties,
  ...more,
});
const field = (property: JsonSchema, name = "x", more: JsonSchema = {}) => {
  const { main, advanced } = readForm(object({ [name]: property }, more));
  const [found] = [...main, ...advanced];
  if (!found) throw new Error("no field");
  return found;
};
const control = (property: JsonSchema, name?: string, more?: JsonSchema): Control =>
  field(property, name, more).control;

it("shows a prompt as a growing field and a short text as one line", () => {
  expect(control({ type: "string", examples: ["A quay"] }, "prompt")).toMatchObject({
    kind: "text",
    isLong: true,
    example: "A quay",
  });
  expect(control({ type: "string" }, "language")).toMatchObject({ kind: "text", isLong: false });
});

it("gives a bounded number a slider with a step that suits its range", () => {
  expect(control({ type: "integer", minimum: 1, maximum: 50 })).toEqual({
    kind: "number",
    isInteger: true,
    isSlider: true,
    min: 1,
    max: 50,
    step: 1,
  });
  expect(control({ type: "number", minimum: 0, maximum: 20 })).toMatchObject({
    isSlider: true,
    step: 0.1,
  });
  expect(control({ type: "number", minimum: 0, maximum: 1 })).toMatchObject({
    isSlider: true,
    step: 0.01,
  });
  expect(control({ type: "integer", minimum: 0, maximum: 1_000_000 })).toMatchObject({
    isSlider: false,
  });
  expect(control({ type: "number" })).toMatchObject({ isSlider: false });
});

it("offers no deprecated value", () => {
  expect(
    control({ anyOf: [{ enum: ["hills", "sea"] }, { enum: ["plant"], deprecated: true }] }),
  ).toMatchObject({
    kind: "choice",
    options: [{ value: "hills" }, { value: "sea" }],
  });
});

it("recognizes a seed by its name", () => {
  expect(control({ anyOf: [{ type: "integer" }, { type: "null" }] }, "seed")).toEqual({
    kind: "seed",
    min: undefined,
    max: undefined,
  });
  expect(control({ type: "integer" }, "noise_seed").kind).toBe("seed");
});

it("shows few short values in a row, shapes as shapes, many in a list", () => {
  expect(control({ type: "string", enum: ["jpeg", "png"] })).toMatchObject({
    kind: "choice",
    look: "segmented",
  });
  expect(control({ type: "string", enum: ["21:9", "16:9", "1:1", "auto"] })).toMatchObject({
    look: "shapes",
  });
  expect(control({ type: "string", enum: ["a", "b", "c", "d", "e"] })).toMatchObject({
    look: "list",
  });
});

it("combines fal's named and custom sizes into one field", () => {
  const schema = object(
    {
      image_size: {
        anyOf: [
          { $ref: "#/components/schemas/ImageSize" },
          { type: "string", enum: ["square_hd", "landscape_4_3"] },
        ],
        default: "landscape_4_3",
      },
    },
    {
      components: {
        schemas: {
          ImageSize: object({
            width: { type: "integer", exclusiveMinimum: 0, maximum: 14142 },
            height: { type: "integer", maximum: 14142 },
          }),
        },
      },
    },
  );
  const [size] = readForm(schema).main;
  expect(size?.fallback).toBe("landscape_4_3");
  expect(size?.control).toMatchObject({
    kind: "size",
    width: { max: 14142 },
    presets: [{ label: "Square HD", ratio: 1 }, { label: "Landscape 4:3" }],
  });
});

it("recognizes colors as text and as three numbers", () => {
  const part = { type: "integer", minimum: 0, maximum: 255 };
  expect(control({ type: "string", format: "color" })).toEqual({ kind: "color", shape: "hex" });
  expect(control({ type: "string", default: "#ffffff" }, "background_color")).toEqual({
    kind: "color",
    shape: "hex",
  });
  expect(control(object({ r: part, g: part, b: part }))).toEqual({ kind: "color", shape: "rgb" });
});

it("accepts files where the schema says so", () => {
  expect(control({ type: "string", "x-file": "image" })).toEqual({
    kind: "file",
    accepts: "image",
  });
  expect(
    control({ type: "array", items: { type: "string", "x-file": "audio" }, maxItems: 4 }),
  ).toEqual({
    kind: "files",
    accepts: "audio",
    most: 4,
  });
  expect(control({ anyOf: [{ type: "string", "x-file": "video" }, { type: "null" }] })).toEqual({
    kind: "file",
    accepts: "video",
  });
});

it("names a file field after the file, not its address", () => {
  const image = { type: "string", "x-file": "image" };
  const { main } = readForm(
    object({
      start_image_url: image,
      image_urls: { type: "array", items: image },
      webhook_url: { type: "string" },
    }),
  );
  expect(main.map(({ label }) => label)).toEqual(["Start image", "Images", "Webhook URL"]);
});

it("nests objects, and lists of objects with an item's defaults", () => {
  const lora = object(
    { path: { type: "string" }, scale: { type: "number", default: 1 } },
    { required: ["path"] },
  );
  expect(control(lora)).toMatchObject({
    kind: "group",
    fields: [
      { name: "path", isRequired: true },
      { name: "scale", fallback: 1 },
    ],
  });
  expect(control({ type: "array", items: lora, minItems: 1 })).toMatchObject({
    kind: "list",
    least: 1,
    start: { path: "" },
    item: { kind: "group" },
  });
});

it("offers a list of unique values as checkboxes", () => {
  expect(control({ type: "array", uniqueItems: true, items: { enum: ["a", "b"] } }).kind).toBe(
    "checks",
  );
});

it("treats null as an allowed value, not as a separate type", () => {
  expect(field({ anyOf: [{ type: "number" }, { type: "null" }] })).toMatchObject({
    isNullable: true,
    control: { kind: "number" },
  });
  expect(field({ type: ["string", "null"] })).toMatchObject({
    isNullable: true,
    control: { kind: "text" },
  });
});

it("lets a person choose between types, and recognizes a value's type", () => {
  const found = control({
    anyOf: [
      { type: "string", title: "Voice name" },
      object({ id: { type: "string" } }, { title: "VoiceRef", required: ["id"] }),
    ],
  });
  if (found.kind !== "variants") throw new Error(found.kind);
  expect(found.variants.map(({ label }) => label)).toEqual(["Voice name", "Voice ref"]);
  expect(found.variants.map(({ fits }) => fits({ id: "a" }))).toEqual([false, true]);
  expect(found.variants.map(({ fits }) => fits("a"))).toEqual([true, false]);
});

it("cuts a recursive schema at the recursion and keeps the rest as a form", () => {
  const schema = object(
    { name: { type: "string" }, node: { $ref: "#/$defs/node" } },
    { $defs: { node: object({ label: { type: "string" }, child: { $ref: "#/$defs/node" } }) } },
  );
  const [name, node] = readForm(schema).main;
  expect(name?.control.kind).toBe("text");
  expect(node?.control).toMatchObject({
    kind: "group",
    fields: [{ control: { kind: "text" } }, { control: { kind: "json" } }],
  });
});

it.for([
  [{}],
  [{ type: "object" }],
  [{ type: "object", additionalProperties: { type: "string" } }],
  [{ $ref: "#/nowhere" }],
  [{ $ref: "https://example.org/schema" }],
  [{ type: "array" }],
  [{ $ref: "#/properties/x" }],
  [{ type: "weird" }],
])("leaves %j to the JSON editor", ([schema]) => {
  expect(control(schema as JsonSchema).kind).toBe("json");
});

it("keeps fal's order, then the schema's own", () => {
  const text = { type: "string" };
  const { main } = readForm(
    object({ a: text, b: text, c: text }, { "x-fal-order-properties": ["c", "gone", "a"] }),
  );
  expect(main.map(({ name }) => name)).toEqual(["c", "a", "b"]);
});

it("folds rare settings only if there are many", () => {
  const many = Object.fromEntries([..."abcdefghi"].map((name) => [name, { type: "boolean" }]));
  const { main, advanced } = readForm(
    object(
      { prompt: { type: "string" }, ...many, mask: { type: "string", "x-file": "image" } },
      { required: ["a"] },
    ),
  );
  expect(main.map(({ name }) => name)).toEqual(["prompt", "a", "mask"]);
  expect(advanced).toHaveLength(8);
  expect(readForm(object({ a: { type: "boolean" } })).advanced).toEqual([]);
});

it("leaves out fields that are shown elsewhere", () => {
  expect(
    readForm(object({ prompt: { type: "string" }, num_images: { type: "integer" } }), [
      "num_images",
    ]).main.map(({ name }) => name),
  ).toEqual(["prompt"]);
});

it("uses a title and a default next to a reference", () => {
  const found = field(
    { allOf: [{ $ref: "#/$defs/mode" }], title: "Speed Mode", default: "fast" },
    "x",
    {
      $defs: { mode: { type: "string", enum: ["fast", "slow"] } },
    },
  );
  expect(found).toMatchObject({
    label: "Speed mode",
    fallback: "fast",
    control: { kind: "choice" },
  });
});

it("makes names readable without changing words that aren't names", () => {
  expect(
    [
      "num_inference_steps",
      "Num Images",
      "square_hd",
      "landscape_16_9",
      "guidanceScale",
      "image_url",
      "LoRAs",
      "VoiceRef",
      "HDR Mode",
    ].map(humanize),
  ).toEqual([
    "Num inference steps",
    "Num images",
    "Square HD",
    "Landscape 16:9",
    "Guidance scale",
    "Image URL",
    "LoRAs",
    "Voice ref",
    "HDR mode",
  ]);
  expect([nameValue("en-US"), nameValue("1:1"), nameValue(5), nameValue("very_fast")]).toEqual([
    "en-US",
    "1:1",
    "5",
    "Very fast",
  ]);
});

it("folds settings that a schema marks as rare, except required and common ones", () => {
  const plain = Object.fromEntries(
    ["a", "b", "c", "d", "e", "f", "g"].map((name) => [name, { type: "string", "x-rare": true }]),
  );
  const schema = object(
    {
      prompt: { type: "string", "x-rare": true },
      steps: { type: "integer", "x-rare": false },
      ...plain,
    },
    { required: ["a"] },
  );
  const { main, advanced } = readForm(schema);
  expect(main.map(({ name }) => name)).toEqual(["steps", "a"]);
  expect(advanced.map(({ name }) => name)).toEqual(["prompt", "b", "c", "d", "e", "f", "g"]);
});

it("shows choices by their titles if they have any", () => {
  const voices = [
    { const: "21m00Tcm", title: "Rachel" },
    { const: "AZnzlk1X", title: "Domi" },
  ];
  expect(control({ anyOf: voices }, "voice")).toMatchObject({
    kind: "choice",
    options: [
      { value: "21m00Tcm", label: "Rachel" },
      { value: "AZnzlk1X", label: "Domi" },
    ],
  });
});
