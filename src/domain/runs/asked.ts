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
 * What was asked for, to ask it again: the input, or of an answer the settings. Of an alias it is all of it, also what the
 * model that it came to had no field for.
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
