import { expect, it } from "vitest";
import type { JsonSchema } from "#contract/json.ts";
import { validateForm } from "../../../components/schema-form/validate-form.ts";
import { carryValues } from "./carry-values.ts";

const schema = (properties: Record<string, JsonSchema>): JsonSchema => ({
  type: "object",
  properties,
  additionalProperties: false,
});
const text = { type: "string" };
const picture = { type: "string", "x-file": "image" };

it("equal fields keep their values, and fields missing from the new model are dropped", () => {
  const from = schema({ prompt: text, steps: { type: "integer" } });
  const to = schema({ prompt: text, strength: { type: "number" } });
  expect(
    carryValues({ prompt: "a quay", steps: 8 }, from, to, { strength: 0.5 }, validateForm),
  ).toEqual({
    prompt: "a quay",
    strength: 0.5,
  });
});

it("a value that the new model refuses isn't carried over, and the model's own draft stays", () => {
  const from = schema({ size: { type: "string", enum: ["small", "huge"] } });
  const to = schema({ size: { type: "string", enum: ["small", "large"] } });
  expect(carryValues({ size: "huge" }, from, to, { size: "large" }, validateForm)).toEqual({
    size: "large",
  });
  expect(carryValues({ size: "huge" }, from, to, { size: "large" }, null)).toEqual({
    size: "huge",
  });
});

it("text and a file carry over under the new model's names", () => {
  const from = schema({ prompt: text, image_url: picture });
  const to = schema({ text, images: { type: "array", items: picture } });
  expect(
    carryValues({ prompt: "hello", image_url: "asset:1" }, from, to, {}, validateForm),
  ).toEqual({
    text: "hello",
    images: ["asset:1"],
  });
});
