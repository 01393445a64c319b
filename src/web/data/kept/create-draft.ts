import type { ModelRef } from "#contract/entities.ts";
import type { JsonObject } from "#contract/json.ts";
import { type Task, taskNames } from "#contract/tasks.ts";
import { toModelPath } from "../model-ref.ts";
import { isRecord, kept, type Slot } from "./kept.ts";

/** What Create remembers on this device for a project: the task, and for each task its models and how many of each. */
export type Choice = { task: Task; models: Partial<Record<Task, ModelRef[]>>; variants: number };

const firstChoice: Choice = { task: "image", models: {}, variants: 1 };
const choice: Slot<Choice> = {
  kind: "choice",
  name: "create",
  version: 1,
  empty: firstChoice,
  parse: (saved) =>
    isRecord(saved) && taskNames.includes(saved.task as Task) && isRecord(saved.models)
      ? { ...firstChoice, ...(saved as Choice) }
      : null,
};

export const readChoice = (userId: string, projectId: string): Choice =>
  kept().read(choice, userId, projectId);
export const writeChoice = (userId: string, projectId: string, chosen: Choice): void =>
  void kept().write(choice, userId, chosen, projectId);

/** What was typed into a model's form, kept until the person changes it. */
const typed: Slot<JsonObject> = {
  kind: "draft",
  name: "create",
  version: 1,
  empty: {},
  parse: (saved) => (isRecord(saved) ? (saved as JsonObject) : null),
};

const placeOf = (projectId: string, ref: ModelRef) => `${projectId}:${toModelPath(ref)}`;

export const readDraft = (userId: string, projectId: string, ref: ModelRef): JsonObject =>
  kept().read(typed, userId, placeOf(projectId, ref));
export const writeDraft = (
  userId: string,
  projectId: string,
  ref: ModelRef,
  values: JsonObject,
): void => void kept().write(typed, userId, values, placeOf(projectId, ref));
