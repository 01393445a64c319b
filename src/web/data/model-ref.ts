import type { ModelRef } from "#contract/entities.ts";

/** A model in an address: `<connectionId>/<modelId>`; the model's own id may hold slashes. */
export const toModelPath = ({ connectionId, modelId }: ModelRef): string =>
  `${connectionId}/${modelId}`;

/** The model that an address names, or null where it names none. */
export function fromModelPath(path: string | undefined): ModelRef | null {
  const [connectionId = "", ...rest] = (path ?? "").split("/");
  const modelId = rest.join("/");
  return connectionId && modelId ? { connectionId, modelId } : null;
}

/** The reference alone, of anything that has more to it. */
export const toModelRef = ({ connectionId, modelId }: ModelRef): ModelRef => ({
  connectionId,
  modelId,
});

export const isSameModel = (a: ModelRef, b: ModelRef): boolean =>
  a.connectionId === b.connectionId && a.modelId === b.modelId;
