import { useQueries } from "@tanstack/react-query";
import type { ModelDetail, ModelRef } from "#contract/entities.ts";
import { limits } from "#contract/limits.ts";
import { isProblem } from "../../data/client.ts";
import { toModelRef } from "../../data/model-ref.ts";
import { modelQuery } from "../../data/queries/models.queries.ts";
import { isRecord, type Slot } from "../../data/saved/saved-entries.ts";
import { useSaved } from "../../data/saved/use-saved.ts";
import { isSameModel } from "./default-model.ts";

const isRef = (value: unknown): value is ModelRef =>
  isRecord(value) && typeof value.connectionId === "string" && typeof value.modelId === "string";

const none: readonly ModelRef[] = [];

/** The models that answer side by side with the chosen one, by conversation. */
export const otherModels: Slot<readonly ModelRef[]> = {
  kind: "choice",
  name: "other-models",
  version: 1,
  empty: none,
  parse: (saved) =>
    Array.isArray(saved) ? saved.filter(isRef).slice(0, limits.answersPerMessage - 1) : null,
};

/**
 * A model that answers side by side. It needs its details to be asked, because they determine the
 * allowed settings.
 */
export type OtherModel =
  | { ref: ModelRef; state: "ready"; model: ModelDetail }
  | { ref: ModelRef; state: "loading" }
  | BrokenModel;
/** Its details failed to load, or it no longer exists or no longer chats. */
export type BrokenModel = { ref: ModelRef; state: "failed" | "gone"; retry: () => void };
export const isBroken = (other: OtherModel): other is BrokenModel =>
  other.state === "failed" || other.state === "gone";

/**
 * The models that answer side by side with the chosen one. Each stays until a person removes it.
 */
export function useOtherModels(projectId: string, place: string, chosen: ModelRef | null) {
  const { value, change, clear } = useSaved(otherModels, place);
  const refs = value.filter((ref) => !isSameModel(ref, chosen));
  const details = useQueries({ queries: refs.map((ref) => modelQuery(projectId, ref)) });
  const list = refs.map((ref, index): OtherModel => {
    const { data: model, error, isFetching, refetch } = details[index]!;
    const retry = () => void refetch();
    if (model)
      return model.status !== "gone" && model.tasks.includes("chat")
        ? { ref, state: "ready", model }
        : { ref, state: "gone", retry };
    if (isFetching || !error) return { ref, state: "loading" };
    return { ref, state: isProblem(error, "not_found") ? "gone" : "failed", retry };
  });
  return {
    list,
    models: list.flatMap((one) => (one.state === "ready" ? [one.model] : [])),
    isLoading: list.some(({ state }) => state === "loading"),
    mayAdd: refs.length < limits.answersPerMessage - 1,
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
