import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import type { ModelDetail, ModelRef } from "#contract/entities.ts";
import { modelQuery, modelsQuery } from "../../../data/queries/models.queries.ts";
import { readChoice } from "../../../data/saved/create-draft.ts";
import { usePersonId } from "../../../data/shell-data.ts";
import { usePreloadPrice } from "./picture-price.ts";

/**
 * The default model for a conversation's pictures: the one last switched off here, else the one
 * last used in Create, else the first connected. Null if no model makes pictures, undefined while
 * loading.
 */
export function usePictureModel(
  projectId: string,
  before: ModelRef | undefined,
): ModelDetail | null | undefined {
  const lastUsed = readChoice(usePersonId(), projectId).models.image?.[0];
  const wanted = useQuery(modelQuery(projectId, before ?? lastUsed ?? null));
  const isUsable = wanted.data?.status === "active" && wanted.data.tasks[0] === "image";
  const offered = useInfiniteQuery(modelsQuery(projectId, { task: "image" }));
  const models = (offered.data?.pages[0]?.models ?? []).filter(
    ({ status, tasks }) => status === "active" && tasks[0] === "image",
  );
  const first = models.find(({ connectionKind }) => connectionKind !== "builtin") ?? models[0];
  usePreloadPrice(first);
  const detail = useQuery(modelQuery(projectId, isUsable ? null : (first ?? null)));
  if (isUsable) return wanted.data;
  if (wanted.isLoading || offered.isPending) return undefined;
  return first ? detail.data : null;
}
