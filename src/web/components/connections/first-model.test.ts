import { expect, it } from "vitest";
import type { Model } from "#contract/entities.ts";
import { firstModelOf } from "./first-model.ts";

const model = (modelId: string, inputModalities: Model["inputModalities"] = ["text"]): Model =>
  ({ connectionId: "c", connectionKind: "x", modelId, inputModalities }) as Model;

it("a chat begins with a known family's newest, not with the first by alphabet", () => {
  expect(firstModelOf("chat", [model("aurora"), model("gpt-4"), model("gpt-6")])?.modelId).toBe(
    "gpt-6",
  );
  expect(firstModelOf("chat", [model("aurora"), model("basalt")])?.modelId).toBe("aurora");
});

it("a first picture is made by a model that words alone are enough for", () => {
  const editor = model("editor", ["text", "image"]);
  expect(firstModelOf("image", [editor, model("painter")])?.modelId).toBe("painter");
  expect(firstModelOf("image", [editor])?.modelId).toBe("editor");
  expect(firstModelOf("image", [])).toBeUndefined();
});
