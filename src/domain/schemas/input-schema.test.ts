import { expect, it } from "vitest";
import { checkInput, withRequiredDefaults } from "./input-schema.ts";

const schema = {
  type: "object",
  required: ["text", "voice"],
  properties: {
    text: { type: "string" },
    voice: { type: "string", default: "alloy" },
    speed: { type: "number", default: 1 },
  },
};

it("a field that is required and has a default is never missing; what was filled in stays, and what is optional is left to the model", () => {
  expect(withRequiredDefaults(schema, { text: "tides" })).toEqual({
    text: "tides",
    voice: "alloy",
  });
  expect(withRequiredDefaults(schema, { text: "tides", voice: "ash" })).toEqual({
    text: "tides",
    voice: "ash",
  });
  expect(checkInput(schema, withRequiredDefaults(schema, {}))).toHaveLength(1);
  expect(withRequiredDefaults(null, { text: "tides" })).toEqual({ text: "tides" });
});
