import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import type { RouteInput, RouteOutput } from "#contract/schemas/index.ts";
import type { Task } from "#contract/tasks.ts";
import { call } from "../client.ts";
import { keys, refreshAfter } from "../keys.ts";

export type Alias = RouteOutput<"listAliases">["aliases"][number];

export const aliasesQuery = queryOptions({
  queryKey: keys.modelAliases(),
  queryFn: async ({ signal }) => (await call("listAliases", { signal })).aliases,
});

function useAliasMutation<Given>(mutationFn: (given: Given) => Promise<unknown>) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn,
    // An alias appears as a model in every list.
    onSettled: () => refreshAfter(queryClient, "alias"),
  });
}

type AliasInput = RouteInput<"createAlias", "body"> & { isNew: boolean };

export const useSaveAlias = () =>
  useAliasMutation(({ isNew, name, ...behind }: AliasInput) =>
    isNew
      ? call("createAlias", { body: { name, ...behind } })
      : call("updateAlias", { params: { alias: name }, body: behind }),
  );
export const useRemoveAlias = () =>
  useAliasMutation((alias: string) => call("removeAlias", { params: { alias } }));

/** The shared models of a task, also those that the admin can't use. */
export const sharedModelsQuery = (task: Task, search: string) =>
  queryOptions({
    queryKey: keys.modelAccess("for-alias", task, search),
    queryFn: ({ signal }): Promise<RouteOutput<"listModels">> =>
      call("listModelAccess", {
        query: { task, search: search || undefined, limit: 200 },
        signal,
      }),
    placeholderData: keepPreviousData,
  });
