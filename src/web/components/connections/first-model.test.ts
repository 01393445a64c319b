import { expect, it } from "vitest";
import type { Model } from "#contract/entities.ts";
import { firstModelOf } from "./first-model.ts";

const model = (modelId: string, inputModalities: Model["inputModalities"] = ["text"]): Model =>
  ({ connectionId: "c", connectionKind: "x", modelId, inputModalities }) as Model;

it("a chat starts with a known family's newest model, not the first in the alphabet", () => {
  expect(firstModelOf("chat", [model("aurora"), model("gpt-4"), model("gpt-6")])?.modelId).toBe(
    "gpt-6",
  );
  expect(firstModelOf("chat", [model("aurora"), model("basalt")])?.modelId).toBe("aurora");
});

it("the first picture uses a model that needs only a prompt", () => {
  const editor = model("editor", ["text", "image"]);
  expect(firstModelOf("image", [editor, model("painter")])?.modelId).toBe("painter");
  expect(firstModelOf("image", [editor])?.modelId).toBe("editor");
  expect(firstModelOf("image", [])).toBeUndefined();
});
