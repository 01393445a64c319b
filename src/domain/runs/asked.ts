import { aliasConnectionId } from "#contract/aliases.ts";
import type { ModelRef, Run } from "#contract/entities.ts";
import type { JsonObject } from "#contract/json.ts";

/** The requested model: an alias, or the model that runs. */
export const askedModel = ({
  alias,
  connectionId,
  modelId,
}: Pick<Run, "alias"> & ModelRef): ModelRef =>
  alias === null ? { connectionId, modelId } : { connectionId: aliasConnectionId, modelId: alias };

/**
 * The original request, to repeat it: the input, or an answer's settings. Under an alias it
 * includes fields that the chosen model lacks.
 */
export function askedInput({
  asked,
  task,
  input,
}: {
  asked: JsonObject | null;
  task: string;
  input: unknown;
}): JsonObject {
  if (asked) return asked;
  if (task !== "chat") return input as JsonObject;
  const { settings, added = [] } = input as { settings: JsonObject; added?: string[] };
  return Object.fromEntries(Object.entries(settings).filter(([name]) => !added.includes(name)));
}
