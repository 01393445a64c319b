import { expect, it } from "vitest";
import { toInput } from "./use-media-model.ts";

const image = { type: "string", "x-file": "image" };
const schemaOf = (properties: Record<string, object>) => ({
  inputSchema: { type: "object", properties },
});

it("puts the text under the model's own name", () => {
  expect(toInput(schemaOf({ prompt: {}, text: {} }), { text: "a sea", files: [] })).toEqual({
    prompt: "a sea",
  });
  expect(toInput(schemaOf({ text: {}, voice: {} }), { text: "hello", files: [] })).toEqual({
    text: "hello",
  });
});

it("puts a file where the model accepts one, and leaves out others", () => {
  const files = [
    { assetId: "1", kind: "audio" },
    { assetId: "2", kind: "image" },
  ];
  expect(toInput(schemaOf({ prompt: {}, image_url: image }), { text: "a sea", files })).toEqual({
    prompt: "a sea",
    image_url: "asset:2",
  });
});
