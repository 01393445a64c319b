import type { ModelRef } from "#contract/entities.ts";
import type { JsonObject } from "#contract/json.ts";
import { type Task, taskNames } from "#contract/tasks.ts";
import { toModelPath } from "../model-ref.ts";

/** What Create remembers on this device for a project: the task, and for each task its models and how many of each. */
export type Choice = { task: Task; models: Partial<Record<Task, ModelRef[]>>; variants: number };

const firstChoice: Choice = { task: "image", models: {}, variants: 1 };

function read(key: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(`bottega:${key}`) ?? "null");
  } catch {
    return null;
  }
}

function write(key: string, value: unknown): void {
  try {
    localStorage.setItem(`bottega:${key}`, JSON.stringify(value));
  } catch {
    // A full store: the draft lasts as long as the page.
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export function readChoice(projectId: string): Choice {
  const stored = read(`create:${projectId}`);
  if (!isRecord(stored) || !taskNames.includes(stored.task as Task) || !isRecord(stored.models))
    return firstChoice;
  return { ...firstChoice, ...(stored as Choice) };
}

export const writeChoice = (projectId: string, choice: Choice): void =>
  write(`create:${projectId}`, choice);

const draftKey = (projectId: string, ref: ModelRef) =>
  `create-draft:${projectId}:${toModelPath(ref)}`;

/** What was typed into a model's form, kept until the person changes it. */
export function readDraft(projectId: string, ref: ModelRef): JsonObject {
  const stored = read(draftKey(projectId, ref));
  return isRecord(stored) ? (stored as JsonObject) : {};
}

export const writeDraft = (projectId: string, ref: ModelRef, values: JsonObject): void =>
  write(draftKey(projectId, ref), values);
