import type { ModelRef } from "#contract/entities.ts";

/** A model in an address: `<connectionId>/<modelId>`. The model id may contain slashes. */
export const toModelPath = ({ connectionId, modelId }: ModelRef): string =>
  `${connectionId}/${modelId}`;

/** Parses a model from an address; null if it names none. */
export function fromModelPath(path: string | undefined): ModelRef | null {
  const [connectionId = "", ...rest] = (path ?? "").split("/");
  const modelId = rest.join("/");
  return connectionId && modelId ? { connectionId, modelId } : null;
}

/** Picks the reference out of an object with more fields. */
export const toModelRef = ({ connectionId, modelId }: ModelRef): ModelRef => ({
  connectionId,
  modelId,
});

export const isSameModel = (a: ModelRef, b: ModelRef): boolean =>
  a.connectionId === b.connectionId && a.modelId === b.modelId;

/** Stands for a model's name while that is unknown: "sonar" of "perplexity/sonar". */
export const shortName = ({ modelId }: ModelRef): string =>
  modelId.slice(modelId.lastIndexOf("/") + 1) || modelId;

/** How a device remembers a choice: the connection's id, a space, and the model's. */
export const toStoredModel = ({ connectionId, modelId }: ModelRef): string =>
  `${connectionId} ${modelId}`;

/** Parses a remembered choice; null if there is none. */
export function fromStoredModel(stored: string): ModelRef | null {
  const [connectionId, ...rest] = stored.split(" ");
  const modelId = rest.join(" ");
  return connectionId && modelId ? { connectionId, modelId } : null;
}
