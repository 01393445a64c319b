import type { JsonObject } from "#contract/json.ts";
import { sentences } from "#contract/sentences/index.ts";
import { type Task, taskNames } from "#contract/tasks.ts";
import { ProviderError } from "../../adapter.ts";

/**
 * Replicate's own collections, and the task of their models, from https://replicate.com/collections
 * as of 2026-11. A deleted one is skipped.
 */
export const usualCollections: Readonly<Record<string, Task>> = {
  "text-to-image": "image",
  "image-editing": "edit",
  "super-resolution": "upscale",
  "remove-backgrounds": "background-removal",
  "text-to-video": "video",
  "image-to-video": "video",
  "text-to-speech": "speech",
  "ai-music-generation": "music",
  "speech-to-text": "transcription",
  "3d-models": "3d",
};

export type ModelSelection = {
  collections: string[];
  searches: string[];
  models: { id: string; task: Task }[];
};

const words = (option: unknown): string[] =>
  String(option ?? "")
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "");

/**
 * The additional models of a connection.
 * @throws ProviderError "invalid_input" for an invalid name, or too many
 */
export function readSelection(options: JsonObject): ModelSelection {
  const searches = words(options.searches);
  if (searches.length > 10) throw refuse(sentences.connections.tooManySearches, "searches");
  const collections = words(options.collections);
  if (collections.length > 20)
    throw refuse(sentences.connections.tooManyCollections, "collections");
  const models = words(options.models).map((entry) => {
    const [id = "", stated = "other"] = entry.split("=").map((part) => part.trim());
    const task = taskNames.find((name) => name === stated && name !== "chat" && name !== "live");
    if (!/^[\w.-]+\/[\w.-]+$/.test(id)) throw refuse(`"${id}" is not owner/name.`, "models");
    if (!task) throw refuse(`"${stated}" is not a task of ${id}.`, "models");
    return { id, task };
  });
  if (models.length > 100) throw refuse(sentences.connections.tooManyModels, "models");
  return { collections, searches, models };
}

const refuse = (message: string, option: string) =>
  new ProviderError("invalid_input", "no", { message, field: `options.${option}` });
