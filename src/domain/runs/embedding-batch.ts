import type { Json, JsonObject } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import { sentences } from "#contract/sentences/index.ts";
import type { Task } from "#contract/tasks.ts";

/**
 * A service's limits for embeddings: `most` inputs per request, about `size` tokens of them
 * together if that is less than `limits.embeddingTokens`, and whether it accepts tokens instead of
 * text. `each`: some of its models accept one input per request, so a run makes as many requests as
 * it has inputs.
 */
export type EmbeddingReach = { most: number; size?: number; tokens?: true; each?: true };

/** An input of a request: a text or its tokens. */
export type EmbeddingInput = string | number[];

/** The inputs that one run embeds together; undefined for a single text and for other tasks. */
export const batchOf = (task: Task, { input }: JsonObject): readonly Json[] | undefined =>
  task === "embedding" && Array.isArray(input) ? input : undefined;

/** The input as its model's form expects it, with a single text. */
export function asFormInput(task: Task, input: JsonObject): JsonObject {
  const [first] = batchOf(task, input) ?? [];
  return first === undefined
    ? input
    : { ...input, input: typeof first === "string" ? first : "tokens" };
}

const isText = (value: Json): value is string =>
  typeof value === "string" && value !== "" && value.length <= limits.promptCharacters;
const isTokens = (value: Json): value is number[] =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.length <= limits.promptCharacters &&
  value.every((token) => Number.isInteger(token) && (token as number) >= 0);

/**
 * Why a service doesn't accept these inputs in one request; null if it does, and for anything but a
 * batch.
 */
export function whyNoBatch(
  task: Task,
  input: JsonObject,
  { most, tokens }: EmbeddingReach = { most: 1 },
): string | null {
  const batch = batchOf(task, input);
  if (!batch) return null;
  if (batch.length === 0 || !(batch.every(isText) || batch.every(isTokens)))
    return sentences.runs.embeddingInputs;
  if (Array.isArray(batch[0]) && !tokens) return sentences.runs.tokensNotTaken;
  return batch.length > most ? sentences.runs.embeddingsTooMany({ most }) : null;
}
