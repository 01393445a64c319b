import { useQueries } from "@tanstack/react-query";
import type { ModelDetail, ModelRef, Run } from "#contract/entities.ts";
import { isSameModel } from "../../../data/model-ref.ts";
import { modelQuery } from "../../../data/queries/models.queries.ts";
import { useSession } from "../../../data/shell-data.ts";

export type ModelOf = ModelRef & { model: ModelDetail | undefined; isLoading: boolean };

/**
 * The distinct models of some runs; `model` is undefined while it loads and after it was removed.
 */
export function useModelsOf(runs: readonly Run[]): ModelOf[] {
  const { project } = useSession();
  const refs = runs.filter(
    (run, index) => runs.findIndex((other) => isSameModel(other, run)) === index,
  );
  const models = useQueries({ queries: refs.map((ref) => modelQuery(project.id, ref)) });
  return refs.map(({ connectionId, modelId }, index) => ({
    connectionId,
    modelId,
    model: models[index]?.data,
    isLoading: models[index]?.isLoading === true,
  }));
}
