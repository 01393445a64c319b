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

it("a required field with a default is never missing; entered values stay, and optional fields are left to the model", () => {
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
