import { expect, it } from "vitest";
import type { JsonSchema } from "#contract/json.ts";
import { examplesOf } from "./input-examples.ts";

const text = (more: JsonSchema = {}): JsonSchema => ({ type: "string", ...more });
const form = (properties: Record<string, JsonSchema>, more: JsonSchema = {}): JsonSchema => ({
  type: "object",
  properties,
  ...more,
});
const inputs = (schema: JsonSchema | null) => examplesOf(schema).map(({ input }) => input);

it("examples of the whole input are used, without fields that the form lacks", () => {
  const schema = form(
    { prompt: text({ examples: ["other"] }) },
    { examples: [{ prompt: "a quay", steps: 4 }, "no input", {}] },
  );
  expect(inputs(schema)).toEqual([{ prompt: "a quay" }]);
});

it("examples of fields are combined by position, as many as there are prompts", () => {
  const schema = form({
    size: text({ examples: ["square"] }),
    prompt: text({ examples: ["a quay", "a pier"] }),
    style: text({ examples: ["ink", "oil"] }),
    seed: { type: "integer" },
  });
  expect(inputs(schema)).toEqual([
    { prompt: "a quay", size: "square", style: "ink" },
    { prompt: "a pier", size: "square", style: "oil" },
  ]);
});

it("a form's starting text is an example, and a model without one has none", () => {
  expect(inputs(form({ text: text({ default: "Good morning" }) }))).toEqual([
    { text: "Good morning" },
  ]);
  expect(inputs(form({ text: text({ default: "" }) }))).toEqual([]);
  expect(inputs(form({ voice: text({ examples: ["Kore", "Puck"] }), text: text() }))).toEqual([]);
  expect(inputs(null)).toEqual([]);
});

it("files of an example are left out, with a note", () => {
  const schema = form({
    prompt: text({ examples: ["wearing a hat"] }),
    image_url: text({ "x-file": "image", examples: ["https://example.org/a.png"] }),
    parts: {
      type: "array",
      items: form({ url: text({ "x-file": "image" }) }),
      examples: [[{ url: "https://example.org/b.png" }]],
    },
  });
  expect(examplesOf(schema)).toEqual([{ input: { prompt: "wearing a hat" }, withoutFiles: true }]);
});

it("examples of a conversation have only text, without duplicates, four at most", () => {
  const examples = ["a", "a", "b", "c", "d", "e"].map((prompt) => ({ prompt }));
  expect(inputs(form({}, { examples }))).toEqual(
    ["a", "b", "c", "d"].map((prompt) => ({ prompt })),
  );
});
