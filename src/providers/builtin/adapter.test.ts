import { Validator } from "@cfworker/json-schema";
import { expect, it } from "vitest";
import { taskNames } from "#contract/tasks.ts";
import { askAdapter, collectParts } from "../../../test/support/contracts/answer.ts";
import type { ModelFacts } from "../adapter.ts";
import { builtin } from "./adapter.ts";

const context = {
  connection: { id: "c", kind: "builtin", addresses: {}, options: {}, secret: null },
  fetch: () => Promise.reject(new Error("The built-in models call nobody.")),
  signal: new AbortController().signal,
  clock: { now: () => 0 },
};

async function listModels(): Promise<ModelFacts[]> {
  const models: ModelFacts[] = [];
  for await (const page of builtin.models(context)) models.push(...page);
  return models;
}

it("lists every built-in model as free, with a known task and a form of ordered, titled fields", async () => {
  const models = await listModels();
  expect(models.map(({ id }) => id)).toEqual([
    "guide",
    "pattern",
    "voice",
    "upscale",
    "edit/crop",
    "edit/resize",
    "edit/rotate",
    "edit/convert",
    "edit/adjust",
    "edit/join",
    "pattern-live",
  ]);
  for (const model of models) {
    expect(model.price?.micros).toBe("0");
    for (const task of model.tasks) expect(taskNames).toContain(task);
    const { properties = {}, "x-fal-order-properties": order = [] } = model.inputSchema as Record<
      string,
      Record<string, { title?: string }>
    >;
    expect(order).toEqual(Object.keys(properties));
    for (const field of Object.values(properties)) expect(field.title).toBeTruthy();
  }
});

it("publishes strict schemas: fields with defaults are optional, unknown fields are refused", async () => {
  const schemaOf = async (id: string) =>
    (await listModels()).find((model) => model.id === id)!.inputSchema!;
  const pattern = new Validator(await schemaOf("pattern"));
  expect(pattern.validate({ prompt: "hills" }).valid).toBe(true);
  expect(
    pattern.validate({ prompt: "hills", image_size: { width: 640, height: 480 }, seed: 7 }).valid,
  ).toBe(true);
  expect(pattern.validate({ prompt: "hills", image_size: { width: 1, height: 480 } }).valid).toBe(
    false,
  );
  expect(pattern.validate({ prompt: "hills", steps: 4 }).valid).toBe(false);
  expect(pattern.validate({ prompt: "hills", style: "plant" }).valid).toBe(true);
  // The default that a form shows as chosen.
  expect(await schemaOf("pattern")).toMatchObject({ properties: { style: { default: "auto" } } });
  expect(pattern.validate({ prompt: "hills", style: "stars" }).valid).toBe(false);
  const join = await schemaOf("edit/join");
  expect(join).toMatchObject({
    properties: { images: { items: { format: "uri", "x-file": "image" } } },
  });
});

it("answers an unknown model with model_gone before any work", async () => {
  await expect(collectParts(askAdapter(builtin, { model: "edit/paint" }))).rejects.toMatchObject({
    code: "model_gone",
    accepted: "no",
  });
});

it("names the invalid field of an input", async () => {
  const ask = (model: string, input: object) =>
    collectParts(askAdapter(builtin, { model, input: { ...input } }));
  await expect(ask("pattern", { prompt: " " })).rejects.toMatchObject({
    code: "provider_invalid_input",
    detail: { field: "prompt" },
  });
  await expect(
    ask("pattern", { prompt: "sea", image_size: { width: 4096, height: 64 } }),
  ).rejects.toMatchObject({
    detail: { field: "image_size.width" },
  });
  await expect(ask("pattern", { prompt: "sea", steps: 4 })).rejects.toMatchObject({
    detail: { field: "steps" },
  });
  await expect(ask("voice", { text: "Hello", speed: 9 })).rejects.toMatchObject({
    detail: { field: "speed" },
  });
  await expect(ask("upscale", {})).rejects.toMatchObject({ detail: { field: "image" } });
  await expect(ask("edit/join", { images: ["asset:a", "b"] })).rejects.toMatchObject({
    detail: { field: "images.1" },
  });
});
