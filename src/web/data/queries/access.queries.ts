import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useMutation,
  useQueryClient,
} from "@tanstack/react-query";
import type { RouteInput, RouteOutput } from "#contract/schemas/index.ts";
import { call } from "../client.ts";
import { keys, refreshAfter } from "../keys.ts";

export type Access = RouteOutput<"getAccess">;
export type AccessModel = RouteOutput<"listModelAccess">["models"][number];
export type AccessFilter = { search?: string; connectionId?: string };
/** The subject of an access rule. */
export type AccessOf = RouteInput<"setModelAccess", "body">["of"];

export const accessQuery = queryOptions({
  queryKey: keys.modelAccess(),
  queryFn: ({ signal }) => call("getAccess", { signal }),
});

/** The people named by the current rule of a model or connection; null if it has no rule. */
export const modelUsersQuery = (of: RouteInput<"getModelUsers", "query"> | null) =>
  queryOptions({
    queryKey: keys.modelAccess("users", of),
    queryFn: ({ signal }) =>
      of ? call("getModelUsers", { query: of, signal }) : { people: [], projects: [] },
  });

const pageSize = 50;

export const accessModelsQuery = (filter: AccessFilter) =>
  infiniteQueryOptions({
    queryKey: keys.modelAccess("models", filter),
    queryFn: ({ pageParam, signal }) =>
      call("listModelAccess", { query: { ...filter, cursor: pageParam, limit: pageSize }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next ?? undefined,
    placeholderData: keepPreviousData,
  });

/** Shown immediately and reverted if the server refuses. */
export function useUpdateAccess() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: RouteInput<"updateAccess", "body">) => call("updateAccess", { body }),
    onMutate: async (change) => {
      await queryClient.cancelQueries({ queryKey: accessQuery.queryKey, exact: true });
      const before = queryClient.getQueryData(accessQuery.queryKey);
      queryClient.setQueryData(
        accessQuery.queryKey,
        (access) => access && { ...access, ...change },
      );
      return { before };
    },
    onError: (_error, _change, context) =>
      queryClient.setQueryData(accessQuery.queryKey, context?.before),
    onSettled: () => refreshAfter(queryClient, "access"),
  });
}
export function useSetModelAccess() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: RouteInput<"setModelAccess", "body">) => call("setModelAccess", { body }),
    onSettled: () => refreshAfter(queryClient, "access"),
  });
}
