import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useMutation,
  useQueryClient,
} from "@tanstack/react-query";
import type { Model, ModelRef } from "#contract/entities.ts";
import type { ModelOrder, UsedModelOrder } from "#contract/filters/model-filters.ts";
import type { RouteInput } from "#contract/schemas/index.ts";
import type { Task } from "#contract/tasks.ts";
import type { CatalogueFilter } from "../catalogue-filter.ts";
import { call } from "../client.ts";
import { keys, refreshAfter } from "../keys.ts";
import { isSameModel } from "../model-ref.ts";

export type ModelFilter = Omit<CatalogueFilter, "order"> & {
  order?: ModelOrder | undefined;
  search?: string;
};
/** The catalog changes when a connection is checked, not while a person scrolls. */
const staleMs = 60_000;
const pageSize = 100;

/** Every model that a project can use, by name, in pages of 100. */
export const modelsQuery = (projectId: string, filter: ModelFilter) =>
  infiniteQueryOptions({
    queryKey: keys.models(projectId, "list", filter),
    queryFn: ({ pageParam, signal }) =>
      call("listModels", {
        query: {
          projectId,
          ...filter,
          search: filter.search || undefined,
          cursor: pageParam,
          limit: pageSize,
        },
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next ?? undefined,
    placeholderData: keepPreviousData,
    staleTime: staleMs,
    // A waiting person gets the error early, with a button to try again.
    retry: 1,
  });

/** One model with its schema. Without a reference, no request is sent. */
export function modelQuery(projectId: string, ref: ModelRef | null) {
  const { connectionId, modelId } = ref ?? { connectionId: "", modelId: "" };
  return queryOptions({
    queryKey: keys.models(projectId, "one", connectionId, modelId),
    queryFn: async ({ signal }) =>
      (
        await call("getModel", {
          params: { connectionId },
          query: { projectId, model: modelId },
          signal,
        })
      ).model,
    enabled: ref !== null,
    staleTime: staleMs,
  });
}

/** How many of a project's models have each task and each family; zeros are left out. */
export const modelCountsQuery = (
  projectId: string,
  among: Pick<CatalogueFilter, "connectionId" | "runsOn" | "task" | "family"> = {},
) =>
  queryOptions({
    queryKey: keys.models(projectId, "tasks", among),
    queryFn: ({ signal }) => call("countModelTasks", { query: { projectId, ...among }, signal }),
    placeholderData: keepPreviousData,
    staleTime: staleMs,
    retry: 1,
  });

/** The tasks that the project's models offer, in the catalog's order. */
export const offeredTasksQuery = (projectId: string) =>
  queryOptions({
    ...modelCountsQuery(projectId),
    select: ({ tasks }) => tasks.map(({ task }) => task),
  });

/** The filters that apply to used models; each is a filter of the full list as well. */
export type UsedModelFilter = Pick<
  CatalogueFilter,
  "connectionId" | "task" | "family" | "runsOn" | "takes" | "gives"
>;

/**
 * The models that made something in the project, most recent first or in another order. Uses the
 * library's key, because each new result may change the list.
 */
export const usedModelsQuery = (
  projectId: string,
  filter: UsedModelFilter & { order?: UsedModelOrder | undefined },
) =>
  infiniteQueryOptions({
    queryKey: keys.assets(projectId, "used-models", filter),
    queryFn: ({ pageParam, signal }) =>
      call("listUsedModels", { query: { projectId, ...filter, cursor: pageParam }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next ?? undefined,
    placeholderData: keepPreviousData,
    retry: 1,
  });

const [maxStarred, maxRecent] = [12, 5];

/**
 * The person's starred models, then the models that recently made something in the project; without
 * a task, those of all tasks.
 */
export const usualModelsQuery = (projectId: string, task?: Task) =>
  queryOptions({
    queryKey: keys.models(projectId, "usual", task ?? "all"),
    queryFn: async ({ signal }): Promise<Model[]> => {
      const of = { projectId, task };
      const [starred, recent] = await Promise.all([
        call("listModels", { query: { ...of, starred: "true", limit: maxStarred }, signal }),
        call("listUsedModels", { query: { ...of, limit: maxRecent }, signal }),
      ]);
      const used = recent.models.map(({ model }) => model);
      return [...starred.models, ...withoutModels(used, starred.models)];
    },
    retry: 1,
  });

const maxSuggested = 24;

/** Models with a sample from their provider, then others; both newest first. */
export const suggestedModelsQuery = (projectId: string, filter: UsedModelFilter) =>
  queryOptions({
    queryKey: keys.models(projectId, "suggested", filter),
    queryFn: async ({ signal }) => {
      const query = { projectId, ...filter, order: "newest", limit: maxSuggested } as const;
      const [sampled, newest] = await Promise.all([
        call("listModels", { query: { ...query, sampled: "true" }, signal }),
        call("listModels", { query, signal }),
      ]);
      return [...sampled.models, ...withoutModels(newest.models, sampled.models)]
        .filter(({ status }) => status !== "gone")
        .slice(0, maxSuggested);
    },
    placeholderData: keepPreviousData,
    staleTime: staleMs,
    retry: 1,
  });

const [trialRecent, trialListed] = [12, 40];

/**
 * Models to try a prompt on: recently used in this project, then starred, then the rest, newest
 * first.
 */
export const trialModelsQuery = (projectId: string, task: Task) =>
  queryOptions({
    queryKey: keys.models(projectId, "trial", task),
    queryFn: async ({ signal }): Promise<Model[]> => {
      const of = { projectId, task };
      const [recent, starred, listed] = await Promise.all([
        call("listUsedModels", { query: { ...of, limit: trialRecent }, signal }),
        call("listModels", { query: { ...of, starred: "true", limit: maxStarred }, signal }),
        call("listModels", { query: { ...of, order: "newest", limit: trialListed }, signal }),
      ]);
      const used = recent.models.map(({ model }) => model);
      const known = [...used, ...withoutModels(starred.models, used)];
      return [...known, ...withoutModels(listed.models, known)];
    },
    retry: 1,
  });

export const withoutModels = <M extends ModelRef>(
  models: readonly M[],
  others: readonly ModelRef[],
): M[] => models.filter((model) => !others.some((other) => isSameModel(model, other)));

type PriceChange = Omit<RouteInput<"setModelPrice", "body">, "modelId">;

/** Sets a person's own price for a model and refetches every list that shows it. */
export function useSetModelPrice({ connectionId, modelId }: ModelRef) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (change: PriceChange) =>
      call("setModelPrice", { params: { connectionId }, body: { modelId, ...change } }),
    onSuccess: () => refreshAfter(queryClient, "model"),
  });
}
