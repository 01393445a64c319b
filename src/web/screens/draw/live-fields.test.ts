import { expect, it } from "vitest";
import { lacksPrompt, liveFieldsOf, settingsToSend } from "./live-fields.ts";

const schema = {
  properties: {
    prompt: { type: "string", default: "Oil painting" },
    image_url: { type: "string", "x-file": "image" },
    output_feedback_strength: {
      type: "number",
      minimum: 0,
      maximum: 1,
      default: 1,
      title: "Output Feedback Strength",
    },
    num_inference_steps: { type: "integer", minimum: 1, maximum: 8 },
    seed: { type: "integer" },
  },
  required: ["image_url"],
};

it("finds prompt, strength and seed by their usual names, and leaves the rest to a form", () => {
  expect(liveFieldsOf(schema, "image_url")).toEqual({
    hasPrompt: true,
    strength: {
      name: "output_feedback_strength",
      min: 0,
      max: 1,
      step: 0.05,
      value: 1,
      title: "Output feedback strength",
    },
    hasSeed: true,
    omit: ["prompt", "seed", "output_feedback_strength", "image_url"],
    hasMore: true,
  });
  expect(liveFieldsOf(null, null)).toMatchObject({
    hasPrompt: false,
    strength: null,
    hasSeed: false,
    hasMore: false,
  });
});

it("sends the settings that the model knows, and says if a prompt is missing", () => {
  expect(
    settingsToSend(schema, { prompt: "", seed: 4, other: "x", num_inference_steps: null }),
  ).toEqual({ seed: 4 });
  const strict = { ...schema, required: ["prompt"] };
  expect(settingsToSend(strict, {})).toEqual({ prompt: "Oil painting" });
  const words = { properties: { prompt: { type: "string" } }, required: ["prompt"] };
  expect(lacksPrompt(words, settingsToSend(words, {}))).toBe(true);
  expect(lacksPrompt(words, settingsToSend(words, { prompt: "a boat" }))).toBe(false);
});
