import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import type { ModelRef, Run } from "#contract/entities.ts";
import type { RouteInput } from "#contract/schemas/index.ts";
import type { EpochReason } from "#contract/waiting-reasons.ts";
import { call } from "../client.ts";
import { keys } from "../keys.ts";
import { useSession } from "../shell-data.ts";
import { modelQuery } from "./models.queries.ts";

export type RunShelf = NonNullable<RouteInput<"listRuns", "query">["state"]>;
export type RunFilter = Pick<
  RouteInput<"listRuns", "query">,
  "task" | "createdBy" | "connectionId" | "modelId" | "q"
>;

/** Runs of one kind of state, newest first, a page at a time, with the first files of each. */
export const runPagesQuery = (projectId: string, state: RunShelf, filter: RunFilter) =>
  infiniteQueryOptions({
    queryKey: keys.runs(projectId, "pages", state, filter),
    queryFn: ({ pageParam, signal }) =>
      call("listRuns", { query: { projectId, state, ...filter, cursor: pageParam }, signal }),
    placeholderData: keepPreviousData,
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next ?? undefined,
  });

/** The event log as it was when asked; what comes after is watched live. */
export const runLogQuery = (runId: string) =>
  queryOptions({
    queryKey: keys.run(runId, "log"),
    queryFn: ({ signal }) =>
      call("listRunEvents", { params: { runId }, query: { after: 0 }, signal }),
  });

/** A model's name, or its id until it is known and after its connection is gone. */
export function useModelName(ref: ModelRef): string {
  const { project } = useSession();
  return useQuery(modelQuery(project.id, ref)).data?.name ?? ref.modelId;
}

const titlesQuery = (projectId: string) =>
  queryOptions({
    queryKey: keys.conversations(projectId, "titles"),
    queryFn: ({ signal }) =>
      call("listConversations", { query: { projectId, limit: 200 }, signal }),
  });

/** The title of a run's conversation; undefined for other runs, and for conversations older than the newest 200. */
export function useConversationTitle(run: Run): string | undefined {
  const { project } = useSession();
  const id = conversationOf(run);
  const { data } = useQuery({ ...titlesQuery(project.id), enabled: id !== undefined });
  return data?.conversations.find((conversation) => conversation.id === id)?.title;
}

export const conversationOf = (run: Run): string | undefined =>
  run.task === "chat" && typeof run.input.conversationId === "string"
    ? run.input.conversationId
    : undefined;

/** After a person's word on a run: what shows it is asked for again at once, without waiting for the feed. */
function useRunChange() {
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

/** A person's word: a run that waited for it goes on. */
export function useApproveRun() {
  const onSuccess = useRunChange();
  return useMutation({
    mutationFn: (runId: string) => call("approveRun", { params: { runId }, body: {} }),
    onSuccess: ({ run }) => onSuccess(run),
  });
}

/** The same for everything of a project that waits for one reason since an epoch began. `onApproved` is told even when what waited is not shown any more. */
export function useApproveRuns(onApproved: (count: number) => void) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (which: { projectId: string; waitingFor: EpochReason }) =>
      call("approveRuns", { body: which }),
    onSuccess: ({ approved }, { projectId }) => {
      onApproved(approved);
      return queryClient.invalidateQueries({ queryKey: keys.runs(projectId) });
    },
  });
}

export function useRetryRun() {
  const onSuccess = useRunChange();
  return useMutation({
    mutationFn: (runId: string) => call("tryAgain", { params: { runId }, body: {} }),
    onSuccess: ({ run }) => onSuccess(run),
  });
}

type Resolution = RouteInput<"resolveRun", "body">;

export function useResolveRun() {
  const onSuccess = useRunChange();
  return useMutation({
    mutationFn: ({ runId, word }: { runId: string; word: Resolution }) =>
      call("resolveRun", { params: { runId }, body: word }),
    onSuccess: ({ run }) => onSuccess(run),
  });
}

/** Asks the provider about an unconfirmed run's job. */
export function useLookAgain() {
  const onSuccess = useRunChange();
  return useMutation({
    mutationFn: (runId: string) => call("lookAgain", { params: { runId } }),
    onSuccess: ({ run }) => onSuccess(run),
  });
}

/** The same by the provider's own id, which a person has found there. */
export function useAttachJob() {
  const onSuccess = useRunChange();
  return useMutation({
    mutationFn: ({
      runId,
      ...body
    }: {
      runId: string;
      requestId: string;
      evenIfDifferent: boolean;
    }) => call("attachJob", { params: { runId }, body }),
    onSuccess: ({ run }) => onSuccess(run),
  });
}

export function useFetchOutputs() {
  const onSuccess = useRunChange();
  return useMutation({
    mutationFn: (runId: string) => call("fetchOutputs", { params: { runId } }),
    onSuccess: ({ run }) => onSuccess(run),
  });
}
