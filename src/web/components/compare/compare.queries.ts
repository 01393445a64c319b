import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useMutation,
  useQueryClient,
} from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { RouteInput, RouteOutput } from "#contract/schemas/index.ts";
import type { Task } from "#contract/tasks.ts";
import { call } from "../../data/client.ts";
import { keys } from "../../data/keys.ts";
import { readStored, useStored } from "../../data/saved/use-stored.ts";
import { usePersonId, useSession } from "../../data/shell-data.ts";
import { useErrorToast } from "../../ui/overlays/use-error-toast.ts";

export type ComparisonView = RouteOutput<"getComparison">;
export type ComparedEntry = ComparisonView["entries"][number];
export type ListedComparison = RouteOutput<"listComparisons">["comparisons"][number];
export type Leaderboard = RouteOutput<"getLeaderboard">;

export const comparisonsQuery = (projectId: string, trash: boolean) =>
  infiniteQueryOptions({
    queryKey: keys.comparisons(projectId, "list", trash),
    queryFn: ({ pageParam, signal }) =>
      call("listComparisons", {
        query: { projectId, trash: trash ? "true" : "false", cursor: pageParam },
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next ?? undefined,
  });

export const comparisonQuery = (projectId: string, comparisonId: string) =>
  queryOptions({
    queryKey: keys.comparisons(projectId, "one", comparisonId),
    queryFn: ({ signal }) => call("getComparison", { params: { comparisonId }, signal }),
  });

export const leaderboardQuery = (projectId: string | null, task: Task | null) =>
  queryOptions({
    queryKey: keys.leaderboard(projectId, task),
    queryFn: ({ signal }) =>
      call("getLeaderboard", {
        query: { ...(projectId && { projectId }), ...(task && { task }) },
        signal,
      }),
    placeholderData: keepPreviousData,
  });

function useRefresh() {
  const queryClient = useQueryClient();
  return () =>
    Promise.all([
      queryClient.invalidateQueries({ queryKey: keys.leaderboard() }),
      queryClient.invalidateQueries({ queryKey: keys.comparisons() }),
    ]);
}

export function useVote(projectId: string, comparisonId: string) {
  const queryClient = useQueryClient();
  const refresh = useRefresh();
  const showError = useErrorToast();
  const key = keys.comparisons(projectId, "one", comparisonId);
  return useMutation({
    mutationFn: (best: number[]) => call("putVote", { params: { comparisonId }, body: { best } }),
    // Shown immediately; the server's answer confirms or reverts it.
    onMutate: async (best) => {
      // A pending answer predates this vote.
      await queryClient.cancelQueries({ queryKey: key });
      const before = queryClient.getQueryData<ComparisonView>(key);
      if (before)
        queryClient.setQueryData<ComparisonView>(key, {
          ...before,
          vote: { ...before.vote, best },
        });
      return before;
    },
    onError: (error, _best, before) => {
      if (before) queryClient.setQueryData(key, before);
      showError(error);
    },
    onSuccess: () => refresh(),
  });
}

export function useReveal(comparisonId: string) {
  const refresh = useRefresh();
  const showError = useErrorToast();
  return useMutation({
    mutationFn: () => call("revealComparison", { params: { comparisonId } }),
    onError: showError,
    onSuccess: () => refresh(),
  });
}

export function useChangeComparison(comparisonId: string) {
  const refresh = useRefresh();
  const showError = useErrorToast();
  return useMutation({
    mutationFn: (body: RouteInput<"updateComparison", "body">) =>
      call("updateComparison", { params: { comparisonId }, body }),
    onError: showError,
    onSuccess: () => refresh(),
  });
}

/** Where a person's last choice is saved: whether new comparisons hide the models. */
const blindChoice = ["compare-blind", true] as const;

export const useBlindChoice = () => useStored(...blindChoice);

/**
 * Starts a comparison of results and opens it. A refusal is shown in a toast. Without `blind`, the
 * person's last choice decides.
 * @param projectId the results' project; defaults to the current one
 */
export function useCompare(projectId?: string) {
  const { project } = useSession();
  const personId = usePersonId();
  const navigate = useNavigate();
  const refresh = useRefresh();
  const showError = useErrorToast();
  return useMutation({
    mutationFn: ({
      entries,
      blind = readStored(personId, ...blindChoice),
    }: Pick<RouteInput<"createComparison", "body">, "entries" | "blind">) =>
      call("createComparison", { body: { projectId: projectId ?? project.id, entries, blind } }),
    onError: showError,
    onSuccess: ({ comparison }) => {
      void refresh();
      void navigate({ to: "/compare/$id", params: { id: comparison.id } });
    },
  });
}
