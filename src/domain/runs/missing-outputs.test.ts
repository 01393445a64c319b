import { expect, it } from "vitest";
import { taskNames } from "#contract/tasks.ts";
import { missingOutputs, promisesFiles } from "./missing-outputs.ts";

it("pictures, videos, sound and 3D models are expected as files; text, embeddings and tool results aren't", () => {
  expect(taskNames.filter((task) => !promisesFiles(task))).toEqual([
    "chat",
    "transcription",
    "embedding",
    "tool",
    "other",
  ]);
});

it.each([
  [
    "fewer pictures than asked for",
    { task: "image", input: { num_images: 4 } },
    ["image", "image"],
    "The provider gave 2 of 4 pictures.",
  ],
  [
    "words instead of a picture",
    { task: "edit", input: {} },
    ["text"],
    "The provider gave no picture.",
  ],
  [
    "a picture instead of a video",
    { task: "video", input: {} },
    ["image"],
    "The provider gave no video.",
  ],
  ["as many as asked for", { task: "image", input: { n: 2 } }, ["image", "image"], undefined],
  [
    "one that could not be fetched, of which a warning tells already",
    { task: "image", input: { n: 2 } },
    ["image", null],
    undefined,
  ],
  ["a transcript", { task: "transcription", input: {} }, ["text"], undefined],
  [
    "a count under the model's own name",
    { task: "image", input: { pictures: 3 } },
    ["image"],
    "The provider gave 1 of 3 pictures.",
  ],
] as const)("%s", (_, run, made, message) => {
  expect(missingOutputs(run, { countField: { name: "pictures", most: 4 } }, made)?.message).toBe(
    message,
  );
});
