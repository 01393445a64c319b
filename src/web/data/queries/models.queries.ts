import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useMutation,
  useQueryClient,
} from "@tanstack/react-query";
import type { Model, ModelRef } from "#contract/entities.ts";
import type { RouteInput } from "#contract/schemas/index.ts";
import type { Task } from "#contract/tasks.ts";
import type { CatalogueFilter } from "../catalogue-filter.ts";
import { call } from "../client.ts";
import { keys, refreshAfter } from "../keys.ts";
import { isSameModel } from "../model-ref.ts";

export type ModelFilter = CatalogueFilter & { search?: string };
/** The catalogue changes when a connection is checked, not while a person scrolls it. */
const staleMs = 60_000;
const pageSize = 100;

/** Every model that can be used in a project, by name, a page of 100 at a time. */
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
    // A person who waits is told soon, and has a button to try again.
    retry: 1,
  });

/** One model with its schema; nothing is asked without one. */
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

/** How many models of a project do each task and are of each family; what none is of is left out. */
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

/** The tasks that some model of the project does, in the catalogue's order. */
export const offeredTasksQuery = (projectId: string) =>
  queryOptions({
    ...modelCountsQuery(projectId),
    select: ({ tasks }) => tasks.map(({ task }) => task),
  });

/** What the models that made something are filtered by: each of it holds for the list of all as well. */
export type UsedModelFilter = Pick<
  CatalogueFilter,
  "connectionId" | "task" | "family" | "runsOn" | "takes" | "gives"
>;

/** The models that made something in the project, most recent first. Under the library's key: each new result may change them. */
export const usedModelsQuery = (projectId: string, filter: UsedModelFilter) =>
  infiniteQueryOptions({
    queryKey: keys.assets(projectId, "used-models", filter),
    queryFn: ({ pageParam, signal }) =>
      call("listUsedModels", { query: { projectId, ...filter, cursor: pageParam }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next ?? undefined,
    placeholderData: keepPreviousData,
    retry: 1,
  });

const [starredMost, recentMost] = [12, 5];

/** What a person probably looks for: their stars, then what made something in the project lately. */
export const usualModelsQuery = (projectId: string, task: Task) =>
  queryOptions({
    queryKey: keys.models(projectId, "usual", task),
    queryFn: async ({ signal }): Promise<Model[]> => {
      const of = { projectId, task };
      const [starred, recent] = await Promise.all([
        call("listModels", { query: { ...of, starred: "true", limit: starredMost }, signal }),
        call("listUsedModels", { query: { ...of, limit: recentMost }, signal }),
      ]);
      const used = recent.models.map(({ model }) => model);
      return [...starred.models, ...withoutModels(used, starred.models)];
    },
    retry: 1,
  });

const sampledMost = 24;

/** Models with a sample of their provider, the newest first. */
export const sampledModelsQuery = (projectId: string, filter: UsedModelFilter) =>
  queryOptions({
    queryKey: keys.models(projectId, "sampled", filter),
    queryFn: async ({ signal }) => {
      const of = { sampled: "true", order: "newest", limit: sampledMost } as const;
      const query = { projectId, ...filter, ...of };
      return (await call("listModels", { query, signal })).models;
    },
    placeholderData: keepPreviousData,
    staleTime: staleMs,
    retry: 1,
  });

const [trialRecent, trialListed] = [12, 40];

/** What a prompt can be tried on: what made something here lately, the stars, then the rest with the newest first. */
export const trialModelsQuery = (projectId: string, task: Task) =>
  queryOptions({
    queryKey: keys.models(projectId, "trial", task),
    queryFn: async ({ signal }): Promise<Model[]> => {
      const of = { projectId, task };
      const [recent, starred, listed] = await Promise.all([
        call("listUsedModels", { query: { ...of, limit: trialRecent }, signal }),
        call("listModels", { query: { ...of, starred: "true", limit: starredMost }, signal }),
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

/** What a person says of a model's price; every list that shows it is asked for again. */
export function useSetModelPrice({ connectionId, modelId }: ModelRef) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (change: PriceChange) =>
      call("setModelPrice", { params: { connectionId }, body: { modelId, ...change } }),
    onSuccess: () => refreshAfter(queryClient, "model"),
  });
}
