import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { Run } from "#contract/entities.ts";
import { call } from "./client.ts";
import { keys } from "./keys.ts";

/** Refetches every view of a run after a person acts on it, without waiting for the feed. */
export function useRunChange() {
  const queryClient = useQueryClient();
  return (run: Run) =>
    Promise.all([
      queryClient.invalidateQueries({ queryKey: keys.runs(run.projectId) }),
      queryClient.invalidateQueries({ queryKey: keys.run(run.id) }),
      queryClient.invalidateQueries({ queryKey: keys.batches(run.projectId) }),
    ]);
}

export function useCancelRun() {
  const onSuccess = useRunChange();
  return useMutation({
    mutationFn: (runId: string) => call("cancelRun", { params: { runId } }),
    onSuccess: ({ run }) => onSuccess(run),
  });
}
