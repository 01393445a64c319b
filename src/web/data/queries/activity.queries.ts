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
import { sendOnce } from "../idempotency-key.ts";
import { keys } from "../keys.ts";
import { useRunChange } from "../run-change.ts";
import { useSession } from "../shell-data.ts";
import { modelQuery } from "./models.queries.ts";

export type RunShelf = NonNullable<RouteInput<"listRuns", "query">["state"]>;
export type RunFilter = Pick<
  RouteInput<"listRuns", "query">,
  "task" | "createdBy" | "connectionId" | "modelId" | "q"
>;

/** Runs of one shelf, newest first, in pages, with the first files of each. */
export const runPagesQuery = (projectId: string, state: RunShelf, filter: RunFilter) =>
  infiniteQueryOptions({
    queryKey: keys.runs(projectId, "pages", state, filter),
    queryFn: ({ pageParam, signal }) =>
      call("listRuns", { query: { projectId, state, ...filter, cursor: pageParam }, signal }),
    placeholderData: keepPreviousData,
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next ?? undefined,
  });

/** The event log at the time of the query; later events arrive live. */
export const runLogQuery = (runId: string) =>
  queryOptions({
    queryKey: keys.run(runId, "log"),
    queryFn: ({ signal }) =>
      call("listRunEvents", { params: { runId }, query: { after: 0 }, signal }),
  });

/** A model's name; its id while the name loads and after its connection is deleted. */
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

/**
 * The title of a run's conversation; undefined for other runs and for conversations beyond the
 * newest 200.
 */
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

/** Approves a run that waits for it. */
export function useApproveRun() {
  const onSuccess = useRunChange();
  return useMutation({
    mutationFn: (runId: string) => call("approveRun", { params: { runId }, body: {} }),
    onSuccess: ({ run }) => onSuccess(run),
  });
}

/**
 * Approves all of a project's runs that wait for one reason since an epoch began. `onApproved` is
 * called even if those runs are no longer shown.
 */
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
    mutationFn: (runId: string) =>
      sendOnce(["tryAgain", runId], (idempotencyKey) =>
        call("tryAgain", { params: { runId }, body: { idempotencyKey } }),
      ),
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
export function useRecheckRun() {
  const onSuccess = useRunChange();
  return useMutation({
    mutationFn: (runId: string) => call("lookAgain", { params: { runId } }),
    onSuccess: ({ run }) => onSuccess(run),
  });
}

/** Attaches the provider's job id, found by a person, to an unconfirmed run. */
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
