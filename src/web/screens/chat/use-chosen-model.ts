import { useQuery } from "@tanstack/react-query";
import type { Model, ModelRef } from "#contract/entities.ts";
import { useStored } from "../../shell/use-stored.ts";
import { chatModelsQuery, modelQuery } from "./chat.queries.ts";

export const isSameModel = (a: ModelRef | null | undefined, b: ModelRef | null | undefined): boolean =>
  Boolean(a && b && a.connectionId === b.connectionId && a.modelId === b.modelId);

/** The model a person begins with: the one last used, else the first that someone connected, else the built-in guide. */
export function firstChoice(models: readonly Model[], lastUsed: ModelRef | null): ModelRef | null {
  if (lastUsed && models.some((model) => isSameModel(model, lastUsed))) return lastUsed;
  return models.find(({ connectionKind }) => connectionKind !== "builtin") ?? models[0] ?? null;
}

function parseRef(stored: string): ModelRef | null {
  const [connectionId, ...rest] = stored.split(" ");
  const modelId = rest.join(" ");
  return connectionId && modelId ? { connectionId, modelId } : null;
}

/** Which model answers next, kept on the device for each person, with its schema and the names of the others. */
export function useChosenModel(projectId: string, userId: string) {
  const [stored, setStored] = useStored(`chat-model:${userId}`, "");
  const models = useQuery(chatModelsQuery(projectId, ""));
  const lastUsed = parseRef(stored);
  // Past the first page of a long list the last one used is asked for by itself.
  const last = useQuery(modelQuery(projectId, lastUsed));
  const listed = models.data?.models ?? [];
  const lastIsUsable = last.data !== undefined && last.data.model.status !== "gone";
  const ref = lastIsUsable ? lastUsed : models.data && !last.isLoading ? firstChoice(listed, lastUsed) : null;
  const detail = useQuery(modelQuery(projectId, ref));
  return {
    ref,
    model: detail.data?.model ?? listed.find((model) => isSameModel(model, ref)) ?? null,
    inputSchema: detail.data?.model.inputSchema,
    /** Its schema included, which says what may be sent. */
    isLoading: ref === null ? models.isPending || last.isLoading : detail.isLoading,
    error: models.error,
    retry: () => void models.refetch(),
    /** Null where nothing can chat. */
    hasNone: models.data !== undefined && ref === null && !last.isLoading,
    choose: (choice: ModelRef) => setStored(`${choice.connectionId} ${choice.modelId}`),
    /** What people call a model; its id where it isn't listed any more. */
    nameOf: (known: ModelRef): string =>
      listed.find((model) => isSameModel(model, known))?.name ??
      (isSameModel(detail.data?.model, known) ? detail.data?.model.name : undefined) ??
      known.modelId,
    find: (known: ModelRef): Model | undefined => listed.find((model) => isSameModel(model, known)),
  };
}
export type ChosenModel = ReturnType<typeof useChosenModel>;
