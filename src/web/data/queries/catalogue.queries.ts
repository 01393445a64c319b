import {
  type InfiniteData,
  queryOptions,
  useMutation,
  useQueryClient,
} from "@tanstack/react-query";
import type { ModelDetail, ModelRef } from "#contract/entities.ts";
import type { RouteOutput } from "#contract/schemas/index.ts";
import { call } from "../client.ts";
import { isOfModels, isShortList, keys } from "../keys.ts";
import type { ModelFilter } from "./models.queries.ts";

/**
 * Stars or unstars a model. The change is written into the cached pages, so that a long list isn't
 * refetched.
 */
export function useStarModel({ connectionId, modelId }: ModelRef) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (isStarred: boolean) =>
      isStarred
        ? call("starModel", { params: { connectionId }, body: { modelId } })
        : call("unstarModel", { params: { connectionId }, query: { model: modelId } }),
    onSuccess: (_, isStarred) => {
      const marked = <M extends ModelRef>(model: M): M =>
        model.connectionId === connectionId && model.modelId === modelId
          ? { ...model, isStarred }
          : model;
      queryClient.setQueriesData<InfiniteData<RouteOutput<"listModels">>>(
        { predicate: ({ queryKey }) => isOfModels(queryKey, "list") },
        (data) =>
          data && {
            ...data,
            pages: data.pages.map((page) => ({ ...page, models: page.models.map(marked) })),
          },
      );
      queryClient.setQueriesData<ModelDetail>(
        { predicate: ({ queryKey }) => isOfModels(queryKey, "one") },
        (data) => data && marked(data),
      );
      const showsStarred = (filter: unknown): boolean =>
        Boolean((filter as ModelFilter | undefined)?.starred);
      return queryClient.invalidateQueries({
        predicate: ({ queryKey }) =>
          isShortList(queryKey) || (isOfModels(queryKey, "list") && showsStarred(queryKey[3])),
      });
    },
  });
}

const maxResults = 12;

/**
 * The newest results of a model. Uses the library's key, so that changes in the library refresh it.
 */
export const resultsOfModelQuery = (projectId: string, { connectionId, modelId }: ModelRef) =>
  queryOptions({
    queryKey: keys.assets(projectId, "made-with", connectionId, modelId),
    queryFn: async ({ signal }) =>
      (
        await call("listAssets", {
          query: { projectId, connectionId, modelId, limit: maxResults },
          signal,
        })
      ).assets,
  });
