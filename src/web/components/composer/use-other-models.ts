import { useQueries } from "@tanstack/react-query";
import type { ModelDetail, ModelRef } from "#contract/entities.ts";
import { limits } from "#contract/limits.ts";
import { isRecord, type Slot } from "../../data/kept/kept.ts";
import { useKept } from "../../data/kept/use-kept.ts";
import { toModelRef } from "../../data/model-ref.ts";
import { modelQuery } from "../../data/queries/models.queries.ts";
import { isSameModel } from "./first-choice.ts";

const isRef = (value: unknown): value is ModelRef =>
  isRecord(value) && typeof value.connectionId === "string" && typeof value.modelId === "string";

const none: readonly ModelRef[] = [];

/** The models that answer beside the chosen one, by conversation. */
export const otherModels: Slot<readonly ModelRef[]> = {
  kind: "choice",
  name: "other-models",
  version: 1,
  empty: none,
  parse: (saved) =>
    Array.isArray(saved) ? saved.filter(isRef).slice(0, limits.answersPerMessage - 1) : null,
};

/** The models that answer side by side with the chosen one. Those that can't be used any more are left out. */
export function useOtherModels(projectId: string, place: string, chosen: ModelRef | null) {
  const { value, change, clear } = useKept(otherModels, place);
  const refs = value.filter((ref) => !isSameModel(ref, chosen));
  const details = useQueries({ queries: refs.map((ref) => modelQuery(projectId, ref)) });
  const models = details.flatMap(({ data }): ModelDetail[] =>
    data && data.status !== "gone" && data.tasks.includes("chat") ? [data] : [],
  );
  return {
    models,
    isLoading: details.some((detail) => detail.isLoading),
    mayAdd: models.length < limits.answersPerMessage - 1,
    add: (model: ModelRef) =>
      change((before) => [
        ...before.filter((ref) => !isSameModel(ref, model) && !isSameModel(ref, chosen)),
        toModelRef(model),
      ]),
    remove: (model: ModelRef) =>
      change((before) => before.filter((ref) => !isSameModel(ref, model))),
    clear,
  };
}
export type OtherModels = ReturnType<typeof useOtherModels>;
