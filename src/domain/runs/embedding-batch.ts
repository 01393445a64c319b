import type { Json, JsonObject } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import { sentences } from "#contract/sentences/index.ts";
import type { Task } from "#contract/tasks.ts";

/**
 * How a service takes embeddings: the most inputs of one request, about the most tokens of them together if that is less than
 * `limits.embeddingTokens`, and whether it takes tokens instead of text. `each`: some of its models take one input in a request, so that a
 * run has as many requests as inputs.
 */
export type EmbeddingReach = { most: number; size?: number; tokens?: true; each?: true };

/** An input of a request: a text, or the tokens of one. */
export type EmbeddingInput = string | number[];

/** The inputs that one run embeds together; undefined for a single text, and for any other task. */
export const batchOf = (task: Task, { input }: JsonObject): readonly Json[] | undefined =>
  task === "embedding" && Array.isArray(input) ? input : undefined;

/** The input as its model's form has it, which knows one text. */
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

/** Why a service doesn't take these inputs in one request; null for one that does, and for anything but a batch. */
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
