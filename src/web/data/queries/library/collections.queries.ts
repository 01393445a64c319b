import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useMutation,
  useQueryClient,
} from "@tanstack/react-query";
import type { Collection } from "#contract/entities.ts";
import { limits } from "#contract/limits.ts";
import type { RouteInput } from "#contract/schemas/index.ts";
import { call } from "../../client.ts";
import { keys } from "../../keys.ts";

type Part = { kind?: Collection["kind"]; trash?: "true" };

/** Collections by name, in pages. */
export const collectionsQuery = (projectId: string, part: Part) =>
  infiniteQueryOptions({
    queryKey: keys.collections(projectId, "list", part),
    queryFn: ({ pageParam, signal }) =>
      call("listCollections", {
        query: {
          projectId,
          ...part,
          limit: limits.pageSizeMost,
          ...(pageParam && { cursor: pageParam }),
        },
        signal,
      }),
    initialPageParam: "",
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
  });

export const collectionQuery = (projectId: string, collectionId: string) =>
  queryOptions({
    queryKey: keys.collections(projectId, "one", collectionId),
    queryFn: ({ signal }) => call("getCollection", { params: { collectionId }, signal }),
    enabled: collectionId !== "",
  });

export type CollectionChange =
  | { create: Omit<RouteInput<"createCollection", "body">, "projectId"> }
  | { collectionId: string; change: RouteInput<"updateCollection", "body"> }
  | { collectionId: string; order: RouteInput<"orderCollection", "body"> }
  | { collectionId: string; isRemoved: true };

/** Creates, changes, orders and deletes collections. */
export function useChangeCollection(projectId: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (what: CollectionChange): Promise<Collection | null> => {
      if ("create" in what)
        return (await call("createCollection", { body: { projectId, ...what.create } })).collection;
      const params = { collectionId: what.collectionId };
      if ("change" in what)
        return (await call("updateCollection", { params, body: what.change })).collection;
      if ("order" in what) await call("orderCollection", { params, body: what.order });
      else await call("removeCollection", { params });
      return null;
    },
    onSettled: async () => {
      const stale = [keys.collections(projectId), keys.assets(projectId)];
      await Promise.all(stale.map((queryKey) => queryClient.invalidateQueries({ queryKey })));
    },
  });
}
