import {
  type InfiniteData,
  infiniteQueryOptions,
  type QueryClient,
  queryOptions,
  useMutation,
  useQueryClient,
} from "@tanstack/react-query";
import type { ModelRef, Run } from "#contract/entities.ts";
import type { JsonObject } from "#contract/json.ts";
import type { RouteOutput } from "#contract/schemas/index.ts";
import type { Task } from "#contract/tasks.ts";
import type { FormAsk } from "#domain/runs/variants.ts";
import { call } from "../client.ts";
import { sendOnce } from "../idempotency-key.ts";
import { keys } from "../keys.ts";

type BatchPage = RouteOutput<"listBatches">;
export type FeedBatch = BatchPage["batches"][number];
const pageSize = 24;

/** Create's feed, newest first. A change of a run or an asset makes it stale. */
export const batchesQuery = (projectId: string) =>
  infiniteQueryOptions({
    queryKey: keys.batches(projectId),
    queryFn: ({ pageParam, signal }) =>
      call("listBatches", { query: { projectId, cursor: pageParam, limit: pageSize }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next ?? undefined,
    // A waiting person gets the error early, with a button to try again.
    retry: 1,
  });

/** A project's library by kind, for pickers. */
export const libraryQuery = (
  projectId: string,
  filter: { kind?: "image" | "video" | "audio"; q?: string },
) =>
  infiniteQueryOptions({
    queryKey: keys.assets(projectId, "pick", filter),
    queryFn: ({ pageParam, signal }) =>
      call("listAssets", {
        query: { projectId, ...filter, q: filter.q || undefined, cursor: pageParam, limit: 60 },
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next ?? undefined,
  });

export type MakeRequest = FormAsk & {
  projectId: string;
  models: (ModelRef & { input?: JsonObject })[];
  task: Task;
  remixOf?: string;
};

/**
 * Starts runs and shows their batch at the top of the feed immediately, before the live feed
 * reports it.
 * @throws ServerProblem, TypeError; repeating the request then is safe
 */
export async function makeRuns(
  queryClient: QueryClient,
  request: MakeRequest,
): Promise<RouteOutput<"createRuns">> {
  const created = await sendOnce(request, (idempotencyKey) =>
    call("createRuns", { body: { ...request, idempotencyKey } }),
  );
  const fresh: FeedBatch = { ...created.batch, runs: created.runs, assets: [] };
  queryClient.setQueryData<InfiniteData<BatchPage, string | undefined>>(
    keys.batches(request.projectId),
    (feed) => {
      const [first, ...rest] = feed?.pages ?? [];
      if (!feed || !first || first.batches.some(({ id }) => id === fresh.id)) return feed;
      return { ...feed, pages: [{ ...first, batches: [fresh, ...first.batches] }, ...rest] };
    },
  );
  void queryClient.invalidateQueries({ queryKey: keys.batches(request.projectId) });
  void queryClient.invalidateQueries({ queryKey: keys.runs(request.projectId) });
  return created;
}

/** The number of results in a variation. */
const varyCount = 4;

/** The ask for running a recipe again: once with its seed, or four times with other seeds. */
export function remakeRequest(run: Run, kind: "again" | "vary"): FormAsk {
  if (kind === "again") return { input: run.input as JsonObject, variants: 1 };
  const { seed: _, ...input } = run.input as JsonObject;
  return { input, variants: varyCount };
}

/** Runs a recipe again. */
export function makeAgain(
  queryClient: QueryClient,
  run: Run,
  kind: "again" | "vary",
): Promise<RouteOutput<"createRuns">> {
  return makeRuns(queryClient, {
    ...remakeRequest(run, kind),
    projectId: run.projectId,
    models: [{ connectionId: run.connectionId, modelId: run.modelId }],
    task: run.task,
    remixOf: run.id,
  });
}

/** Asks a language model for a prompt. The answer is saved with the run. */
export function useAskPrompt(projectId: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: { model: ModelRef; task: Task; prompt?: string; assetId?: string }) =>
      sendOnce([projectId, body], (idempotencyKey) =>
        call("askPrompt", { params: { projectId }, body: { ...body, idempotencyKey } }),
      ),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: keys.runs(projectId) }),
  });
}

type ListedWordList = RouteOutput<"listWordLists">["lists"][number];
const listsPerPage = 200;

/** All word lists of a project by name; there are at most 500. */
export const wordListsQuery = (projectId: string) =>
  queryOptions({
    queryKey: keys.wordLists(projectId),
    queryFn: async ({ signal }) => {
      const lists: ListedWordList[] = [];
      let cursor: string | undefined;
      do {
        const page = await call("listWordLists", {
          params: { projectId },
          query: { cursor, limit: listsPerPage },
          signal,
        });
        lists.push(...page.lists);
        cursor = page.next ?? undefined;
      } while (cursor);
      return lists;
    },
  });

/** One list with its items. */
export const wordListQuery = (projectId: string, name: string) =>
  queryOptions({
    queryKey: keys.wordLists(projectId, "one", name),
    queryFn: async ({ signal }) =>
      (await call("getWordList", { params: { projectId, list: name }, signal })).list,
  });

/** Creates a list, or replaces its items. */
export function usePutWordList(projectId: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: ({
      name,
      items,
      replaces,
    }: {
      name: string;
      items: string[];
      replaces?: number | null;
    }) => call("putWordList", { params: { projectId, list: name }, body: { items, replaces } }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: keys.wordLists(projectId) }),
  });
}

export function useRemoveWordList(projectId: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (name: string) => call("removeWordList", { params: { projectId, list: name } }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: keys.wordLists(projectId) }),
  });
}
