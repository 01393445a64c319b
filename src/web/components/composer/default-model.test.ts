import { expect, it } from "vitest";
import type { Model } from "#contract/entities.ts";
import { defaultModel } from "./default-model.ts";

const model = (modelId: string, connectionKind = "openai-compatible") =>
  ({ connectionId: connectionKind, modelId, connectionKind }) as Model;
const guide = model("guide", "builtin");
const chosen = (...ids: string[]) =>
  defaultModel([guide, ...ids.map((id) => model(id))], null)?.modelId;

it("the last used model comes first, and a removed one isn't used", () => {
  const lastUsed = { connectionId: "openai-compatible", modelId: "aardvark" };
  expect(defaultModel([model("aardvark"), model("gpt-5")], lastUsed)?.modelId).toBe("aardvark");
  expect(defaultModel([model("gpt-4o"), model("gpt-5")], lastUsed)?.modelId).toBe("gpt-5");
});

it.each([
  [["aardvark-1", "gpt-4.1", "gpt-4o", "gpt-5-mini", "gpt-5.1"], "gpt-5.1"],
  [
    ["claude-3-5-sonnet-20241022", "claude-opus-4-20250514", "claude-sonnet-4-5-20250929"],
    "claude-sonnet-4-5-20250929",
  ],
  [["qwen2.5-72b", "qwen3-32b"], "qwen3-32b"],
  [
    ["abab", "meta-llama/llama-3.1-8b-instruct", "meta-llama/llama-3.3-70b-instruct"],
    "meta-llama/llama-3.3-70b-instruct",
  ],
  [
    ["command-r-08-2024", "mistral-large-2411", "gemini-2.5-pro", "gemini-2.5-flash"],
    "gemini-2.5-pro",
  ],
])("of %j a new conversation starts with %s", (ids, expected) => {
  expect(chosen(...ids)).toBe(expected);
});

it("of unknown families the model connected last is used, rather than the built-in guide", () => {
  const seen = (modelId: string, firstSeenAt: number) => ({ ...model(modelId), firstSeenAt });
  expect(defaultModel([guide, seen("aardvark", 1), seen("badger", 2)], null)?.modelId).toBe(
    "badger",
  );
  expect(chosen("badger-vision", "badger-chat")).toBe("badger-chat");
  expect(chosen("badger", "qwen3-32b")).toBe("qwen3-32b");
});

it("a starred model comes before models of newer families", () => {
  const starred = { ...model("aardvark"), isStarred: true };
  expect(defaultModel([guide, model("gpt-5"), starred], null)?.modelId).toBe("aardvark");
});

it("the built-in guide is used if no model is connected", () => {
  expect(chosen("aardvark")).toBe("aardvark");
  expect(chosen()).toBe("guide");
  expect(defaultModel([], null)).toBeNull();
});
