import { expect, it } from "vitest";
import type { Model } from "#contract/entities.ts";
import type { JsonObject } from "#contract/json.ts";
import { inputsTogether, mayJoin, taskOfPrompt, triedTogether } from "./trial.ts";

const model = (modelId: string, facts: Partial<Model> = {}): Model =>
  ({
    ...{ connectionId: "c", modelId, name: modelId, status: "active" },
    ...{ tasks: ["image"], inputModalities: ["text"], ...facts },
  }) as Model;
const ids = (models: readonly Model[]) => models.map(({ modelId }) => modelId);

it("suggestions start with different families, in the given order", () => {
  const candidates = ["flux-2", "flux-1", "qwen-image", "recraft-4", "imagen-5"].map((id) =>
    model(id),
  );
  expect(ids(triedTogether([], candidates))).toEqual([
    "flux-2",
    "qwen-image",
    "recraft-4",
    "imagen-5",
    "flux-1",
  ]);
});

it("chosen models come first and once, without removed ones and those that need a file", () => {
  const chosen = model("flux-1");
  const editor = model("editor", { inputModalities: ["image"] });
  const old = model("old", { status: "deprecated" });
  expect(ids(triedTogether([chosen], [editor, old, chosen, model("qwen-image")]))).toEqual([
    "flux-1",
    "qwen-image",
  ]);
});

it("models are tried together only for a task that all of them do with a prompt alone", () => {
  const film = model("film", { tasks: ["video"] });
  const both = model("both", { tasks: ["image", "video"] });
  expect(mayJoin(film, [model("flux-1")])).toBe(false);
  expect(mayJoin(film, [both])).toBe(true);
  expect(mayJoin(model("upscaler", { tasks: ["upscale"] }), [])).toBe(false);
});

it("a prompt alone is enough if every other required field has a default", () => {
  const taskOf = (required: string[], properties: JsonObject, tasks: Model["tasks"] = ["image"]) =>
    taskOfPrompt({ tasks, inputSchema: { type: "object", required, properties } });
  const prompt = { type: "string" };
  expect(taskOf(["prompt"], { prompt })).toBe("image");
  expect(taskOf(["text", "voice"], { text: prompt, voice: { default: "ada" } }, ["speech"])).toBe(
    "speech",
  );
  expect(taskOf(["prompt", "image_url"], { prompt, image_url: prompt })).toBeUndefined();
  expect(taskOf([], { image_url: prompt }, ["upscale"])).toBeUndefined();
  expect(taskOf(["prompt"], { prompt }, ["upscale"])).toBeUndefined();
  expect(taskOfPrompt({ tasks: ["video"], inputSchema: null })).toBe("video");
});

it("models get the first one's values for equal fields", () => {
  const filled = (fields: string[], values: Record<string, unknown>) => ({
    model: { inputSchema: { properties: Object.fromEntries(fields.map((name) => [name, {}])) } },
    values: values as JsonObject,
  });
  expect(
    inputsTogether([
      filled(["prompt", "steps", "style"], { prompt: "a boat", style: "ink" }),
      filled(["prompt", "steps", "speed"], { prompt: "a tide", steps: 50, speed: "fast" }),
    ]),
  ).toEqual([
    { prompt: "a boat", style: "ink" },
    { prompt: "a boat", speed: "fast" },
  ]);
});
