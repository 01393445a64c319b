import { expect, it } from "vitest";
import { listSettings, settingValue } from "./settings.ts";

it("lists a run's settings without its text and files", () => {
  const input = {
    prompt: "a sea",
    image_size: { width: 64, height: 48 },
    guidanceScale: 3.5,
    image: "asset:1",
    images: ["asset:1", "asset:2"],
    loras: [],
  };
  expect(listSettings(input)).toEqual([
    ["Image size", "64 × 48"],
    ["Guidance scale", "3.5"],
    ["Loras", ""],
  ]);
});

it("lists a chat's settings without IDs", () => {
  expect(
    listSettings({ conversationId: "c", systemPrompt: "", settings: { temperature: 0.2 } }),
  ).toEqual([["Temperature", "0.2"]]);
});

it("writes any value on one line", () => {
  expect([true, null, ["a", 1], { a: { b: 1 } }].map(settingValue)).toEqual([
    "true",
    "null",
    "a, 1",
    '{"a":{"b":1}}',
  ]);
});
