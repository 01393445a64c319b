import { expect, it } from "vitest";
import type { JsonObject } from "#contract/json.ts";
import { type Choice, chooseRecipe, isTyped, type StashedForm, stashForm } from "./create-draft.ts";

const [painter, upscaler] = ["painter", "upscaler"].map((modelId) => ({
  connectionId: "c",
  modelId,
})) as [{ connectionId: string; modelId: string }, { connectionId: string; modelId: string }];
const choice: Choice = { task: "image", models: { image: [painter] }, variants: 4 };
const recipe = (prompt: string) => ({
  task: "image" as const,
  ref: painter,
  values: { prompt },
  title: prompt,
});
const load = (known: StashedForm[], typed: JsonObject, prompt: string) =>
  stashForm(known, { choice, shown: [painter], valuesOf: () => typed }, recipe(prompt));

it("a recipe sets the draft aside, and the next recipe sets nothing more aside", () => {
  const once = load([], { prompt: "typed" }, "first");
  const twice = load(once, { prompt: "first" }, "second");
  expect(twice).toHaveLength(1);
  expect(twice[0]).toMatchObject({
    choice,
    drafts: [{ ref: painter, values: { prompt: "typed" } }],
    loaded: { values: { prompt: "second" } },
    title: "second",
  });
});

it("a changed recipe is set aside as its own draft", () => {
  const once = load([], { prompt: "typed" }, "first");
  const twice = load(once, { prompt: "first, at night" }, "second");
  expect(twice.map(({ drafts }) => drafts[0]?.values.prompt)).toEqual(["typed", "first, at night"]);
});

it("the form holds a draft unless it is empty or equal to the last loaded recipe", () => {
  const shows = (known: StashedForm[], values: JsonObject) =>
    isTyped(known, { choice, shown: [painter], valuesOf: () => values });
  const known = load([], {}, "first");
  expect(shows([], {})).toBe(false);
  expect(shows([], { prompt: "typed" })).toBe(true);
  expect(shows(known, { prompt: "first" })).toBe(false);
  expect(shows(known, { prompt: "first, at night" })).toBe(true);
});

it("a recipe of another model keeps the drafts of both, each once", () => {
  const values = new Map([
    [painter.modelId, { prompt: "typed" }],
    [upscaler.modelId, { scale: 4 }],
  ]);
  const other = { task: "upscale" as const, ref: upscaler, values: { scale: 2 }, title: "Upscale" };
  const form = {
    choice,
    shown: [painter, painter],
    valuesOf: ({ modelId }: { modelId: string }) => values.get(modelId) ?? {},
  };
  const [aside] = stashForm([], form, other);
  expect(aside?.drafts).toEqual([
    { ref: painter, values: { prompt: "typed" } },
    { ref: upscaler, values: { scale: 4 } },
  ]);
  expect(chooseRecipe(choice, other)).toEqual({
    task: "upscale",
    models: { image: [painter], upscale: [upscaler] },
    variants: 1,
  });
});
