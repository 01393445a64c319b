import { expect, it } from "vitest";
import type { JsonObject } from "#contract/json.ts";
import { checkInput } from "#domain/schemas/input-schema.ts";
import { catalogue } from "../../../../test/simulators/fal/catalogue.ts";
import { checkInput as checkAsFal } from "../../../../test/simulators/fal/check-input.ts";
import { toInputSchema } from "./catalog/schema.ts";

type Field = Record<string, unknown> & {
  properties?: Record<string, Field>;
  items?: Field;
  anyOf?: Field[];
};

function schemaOf(
  id: string,
): Field & { properties: Record<string, Field>; $defs?: Record<string, Field> } {
  const found = catalogue.find((model) => model.id === id);
  return toInputSchema(found?.document, id) as ReturnType<typeof schemaOf>;
}

const document = (
  schemas: Record<string, unknown>,
  schema: unknown = { $ref: "#/components/schemas/In" },
) => ({
  components: { schemas },
  paths: { "/a/b": { post: { requestBody: { content: { "application/json": { schema } } } } } },
});

it("the input is found through the path's request body, and its fields keep fal's order", () => {
  const { properties, required } = schemaOf("sim/flux/dev");
  expect(Object.keys(properties).slice(0, 4)).toEqual([
    "prompt",
    "image_size",
    "num_inference_steps",
    "seed",
  ]);
  expect(required).toEqual(["prompt"]);
  expect(properties.guidance_scale).toMatchObject({
    type: "number",
    minimum: 1,
    maximum: 20,
    default: 3.5,
  });
});

it("components are inlined wherever they are referenced", () => {
  const { properties, $defs } = schemaOf("sim/flux/dev");
  expect($defs).toBeUndefined();
  expect(properties.loras?.items?.properties?.scale).toMatchObject({ type: "number", maximum: 4 });
  expect(properties.image_size?.anyOf?.[0]?.properties?.width).toMatchObject({
    exclusiveMinimum: 0,
    maximum: 14142,
  });
  expect(
    JSON.stringify(catalogue.map(({ document: doc, id }) => toInputSchema(doc, id))),
  ).not.toContain("#/components");
});

it("a title and a description next to a reference override the component's own", () => {
  const member =
    schemaOf("acme/ideogram/v3").properties.color_palette?.anyOf?.[0]?.properties?.members
      ?.anyOf?.[0]?.items;
  expect(member?.properties?.rgb).toMatchObject({ type: "object", description: "The color." });
  expect(member?.properties?.rgb?.properties?.r).toMatchObject({ maximum: 255 });
});

it("OpenAPI's nullable and boolean bounds become current JSON Schema", () => {
  const palette = schemaOf("acme/ideogram/v3").properties.color_palette?.anyOf?.[0];
  expect(palette?.properties?.name).toMatchObject({
    type: ["string", "null"],
    enum: ["EMBER", "FRESH", "JUNGLE", "MAGIC", null],
  });
});

it("a component that contains itself is kept once, as a definition", () => {
  const { properties, $defs } = schemaOf("sim/workflow/tree");
  expect(properties.root).toMatchObject({ $ref: "#/$defs/Node" });
  expect($defs?.Node?.properties?.children?.items).toEqual({ $ref: "#/$defs/Node" });
  expect($defs?.Node?.properties?.image_url?.anyOf?.[0]).toMatchObject({ "x-file": "image" });
});

it("an input that is itself recursive still shows its fields", () => {
  const loop = {
    In: { type: "object", properties: { again: { $ref: "#/components/schemas/In" } } },
  };
  expect(toInputSchema(document(loop), "a/b")).toMatchObject({
    type: "object",
    properties: { again: { $ref: "#/$defs/In" } },
  });
});

it("two components that contain each other end", () => {
  const [left, right] = ["Left", "Right"].map((name) => ({
    type: "object",
    properties: { to: { $ref: `#/components/schemas/${name}` } },
  }));
  const schema = toInputSchema(
    document({
      In: { type: "object", properties: { a: { $ref: "#/components/schemas/Left" } } },
      Left: right,
      Right: left,
    }),
    "a/b",
  );
  expect(schema?.$defs).toHaveProperty("Left");
});

it("the boolean sync_mode is removed and the enum of that name stays", () => {
  expect(schemaOf("sim/flux/dev").properties).not.toHaveProperty("sync_mode");
  expect(schemaOf("acme/sync-lipsync/v2").properties.sync_mode).toMatchObject({
    enum: ["cut_off", "loop", "bounce"],
  });
});

it("examples of fields and of the whole body stay, without those that embed a whole file as text", () => {
  const prompt = { type: "string", examples: ["a quay", "x".repeat(10_000), "a pier"] };
  const content = {
    schema: { type: "object", properties: { prompt } },
    example: { prompt: "a harbour" },
    examples: { dusk: { value: { prompt: "dusk" } }, broken: "no example" },
  };
  const schema = toInputSchema(
    { paths: { "/a/b": { post: { requestBody: { content: { "application/json": content } } } } } },
    "a/b",
  );
  expect(schema).toMatchObject({
    properties: { prompt: { examples: ["a quay", "a pier"] } },
    examples: [{ prompt: "a harbour" }, { prompt: "dusk" }],
  });
});

it("every field that takes a file is marked with its kind, and no other field", () => {
  expect(schemaOf("sim/flux/dev/image-to-image").properties.image_url).toMatchObject({
    type: "string",
    "x-file": "image",
  });
  const video = schemaOf("acme/kling-video/v3/pro/image-to-video").properties;
  expect(video.end_image_url?.anyOf?.[0]).toMatchObject({ "x-file": "image", format: "uri" });
  expect(video.elements?.items?.properties?.reference_image_urls?.items).toMatchObject({
    "x-file": "image",
  });
  expect(video.elements?.items?.properties?.video_url).toMatchObject({ "x-file": "video" });
  expect(schemaOf("acme/ideogram/v3").properties.image_urls?.anyOf?.[0]?.items).toMatchObject({
    "x-file": "image",
  });
  expect(schemaOf("sim/whisper").properties.audio_url).toMatchObject({ "x-file": "audio" });
  expect(schemaOf("sim/flux-lora-fast-training").properties.images_data_url).toMatchObject({
    "x-file": "file",
  });
  const plain = toInputSchema(
    document({
      In: {
        type: "object",
        properties: { webhook_url: { type: "string" }, prompt: { type: "string" } },
      },
    }),
    "a/b",
  );
  expect(JSON.stringify(plain)).not.toContain("x-file");
});

it("a document without an input, or one that multiplies without bound, gives no schema", () => {
  expect(toInputSchema(undefined, "a/b")).toBeNull();
  expect(toInputSchema({ paths: {} }, "a/b")).toBeNull();
  const levels = Array.from({ length: 30 }, (_, level) => {
    const next = { $ref: `#/components/schemas/L${level + 1}` };
    return [`L${level}`, { type: "object", properties: { left: next, right: next } }];
  });
  expect(
    toInputSchema(
      document(
        { ...Object.fromEntries(levels), L30: { type: "string" } },
        { $ref: "#/components/schemas/L0" },
      ),
      "a/b",
    ),
  ).toBeNull();
});

const asset = "asset:6f9619ff-8b86-4011-b42d-00c04fc964ff";
const good: [id: string, input: JsonObject][] = [
  [
    "sim/flux/dev",
    {
      prompt: "x",
      image_size: { width: 640, height: 480 },
      loras: [{ path: "p", scale: 2 }],
      seed: 4294967295,
    },
  ],
  ["sim/flux/dev", { prompt: "x", image_size: "square_hd", guidance_scale: 3.5 }],
  [
    "acme/ideogram/v3",
    {
      prompt: "x",
      style: null,
      image_urls: [asset],
      color_palette: { name: null, members: [{ rgb: { r: 1, g: 2, b: 3 } }] },
    },
  ],
  [
    "acme/kling-video/v3/pro/image-to-video",
    {
      start_image_url: asset,
      end_image_url: null,
      duration: "10",
      elements: [{ video_url: asset }],
    },
  ],
  ["luma/veo/fast", { prompt: "x", duration: "4s", fps: 30 }],
  ["sim/workflow/tree", { root: { name: "a", children: [{ name: "b", children: [] }] } }],
];
const bad: [id: string, input: JsonObject][] = [
  ["sim/flux/dev", {}],
  ["sim/flux/dev", { prompt: "x", image_size: { width: 0, height: 480 } }],
  ["sim/flux/dev", { prompt: "x", num_images: 5 }],
  ["acme/ideogram/v3", { prompt: "x", background_color: "red" }],
  ["acme/kling-video/v3/pro/image-to-video", { start_image_url: asset, duration: 5 }],
  ["sim/workflow/tree", { root: { name: "a", children: [{ name: "" }] } }],
];

it("our validator with this schema and fal's own agree on valid and invalid inputs", () => {
  const isRight = ([id, input]: [string, JsonObject]) => {
    const model = catalogue.find((entry) => entry.id === id)!;
    return [
      checkInput(toInputSchema(model.document, id), input).length === 0,
      checkAsFal(input, model.input, model.components).length === 0,
    ];
  };
  expect(good.map(isRight)).toEqual(good.map(() => [true, true]));
  expect(bad.map(isRight)).toEqual(bad.map(() => [false, false]));
});
