import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import type { RouteOutput } from "#contract/schemas/index.ts";
import { call } from "../client.ts";
import { keys, refreshAfter } from "../keys.ts";

export type ListedWorkflow = RouteOutput<"listWorkflows">["workflows"][number];

/**
 * Placed under "models", so that every change of a connection's models refetches its workflows as
 * well.
 */
export const workflowsQuery = (connectionId: string) =>
  queryOptions({
    queryKey: keys.models("workflows", connectionId),
    queryFn: async ({ signal }) =>
      (await call("listWorkflows", { params: { connectionId }, signal })).workflows,
  });

/** Adds a workflow, or replaces the one with the given id. */
export function usePutWorkflow(connectionId: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: ({ id, name, text }: { id: string | null; name: string; text: string }) => {
      const body = { name, workflow: text };
      return id === null
        ? call("addWorkflow", { params: { connectionId }, body })
        : call("replaceWorkflow", { params: { connectionId, workflowId: id }, body });
    },
    onSuccess: () => refreshAfter(queryClient, "connection"),
  });
}

export function useRemoveWorkflow(connectionId: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (workflowId: string) =>
      call("removeWorkflow", { params: { connectionId, workflowId } }),
    onSuccess: () => refreshAfter(queryClient, "connection"),
  });
}
