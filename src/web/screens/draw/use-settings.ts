import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import type { Model, ModelDetail, ModelRef } from "#contract/entities.ts";
import type { JsonObject } from "#contract/json.ts";
import { toModelPath, toModelRef } from "../../data/model-ref.ts";
import { modelQuery, modelsQuery } from "../../data/queries/models.queries.ts";
import { useSaved } from "../../data/saved/use-saved.ts";
import { drawSettings } from "./settings-store.ts";

export type DrawSettings = {
  models: readonly Model[];
  isLoading: boolean;
  error: unknown;
  retry(): void;
  model: ModelDetail | null;
  values: JsonObject;
  setModel(ref: ModelRef): void;
  setValues(values: JsonObject): void;
  /** Loads a recipe's model and settings. */
  load(ref: ModelRef, values: JsonObject): void;
};

/** The chosen model and its settings, saved on the device. */
export function useSettings(projectId: string): DrawSettings {
  const { value: draft, change: setDraft } = useSaved(drawSettings, projectId);
  const catalogue = useInfiniteQuery(modelsQuery(projectId, { task: "live" }));
  const models = catalogue.data?.pages.flatMap((page) => page.models) ?? [];
  const isThere =
    draft.model &&
    (catalogue.isPending ||
      models.some((model) => toModelPath(model) === toModelPath(draft.model!)) ||
      catalogue.hasNextPage);
  const chosen = isThere
    ? draft.model
    : (models.find(({ status }) => status === "active") ?? models[0] ?? null);
  const ref = chosen && toModelRef(chosen);
  const detail = useQuery(modelQuery(projectId, ref));
  const path = ref ? toModelPath(ref) : "";
  return {
    models,
    isLoading: catalogue.isPending || (ref !== null && detail.isPending),
    error: catalogue.error ?? detail.error,
    retry: () => void (catalogue.error ? catalogue.refetch() : detail.refetch()),
    model: detail.data ?? null,
    values: draft.values[path] ?? {},
    setModel: (model) => setDraft((before) => ({ ...before, model })),
    setValues: (values) =>
      setDraft((before) => ({ model: ref, values: { ...before.values, [path]: values } })),
    load: (model, values) =>
      setDraft((before) => ({ model, values: { ...before.values, [toModelPath(model)]: values } })),
  };
}
