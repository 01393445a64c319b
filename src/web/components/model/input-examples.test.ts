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

it("examples of the whole input are taken as they are, without what the form has no field for", () => {
  const schema = form(
    { prompt: text({ examples: ["other"] }) },
    { examples: [{ prompt: "a quay", steps: 4 }, "no input", {}] },
  );
  expect(inputs(schema)).toEqual([{ prompt: "a quay" }]);
});

it("examples of the fields stand together: the first of each, the second, as many as there are words", () => {
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

it("words that a form begins with are an example; a model that gives none has none", () => {
  expect(inputs(form({ text: text({ default: "Good morning" }) }))).toEqual([
    { text: "Good morning" },
  ]);
  expect(inputs(form({ text: text({ default: "" }) }))).toEqual([]);
  expect(inputs(form({ voice: text({ examples: ["Kore", "Puck"] }), text: text() }))).toEqual([]);
  expect(inputs(null)).toEqual([]);
});

it("files of an example are left out, and that is said", () => {
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

it("of a conversation the words are all there is, and equal ones come once, four at most", () => {
  const examples = ["a", "a", "b", "c", "d", "e"].map((prompt) => ({ prompt }));
  expect(inputs(form({}, { examples }))).toEqual(
    ["a", "b", "c", "d"].map((prompt) => ({ prompt })),
  );
});
