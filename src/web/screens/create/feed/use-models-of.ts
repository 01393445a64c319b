import { useQueries } from "@tanstack/react-query";
import type { ModelDetail, ModelRef, Run } from "#contract/entities.ts";
import { isSameModel } from "../../../data/model-ref.ts";
import { modelQuery } from "../../../data/queries/models.queries.ts";
import { useSession } from "../../../data/shell-data.ts";

export type ModelOf = ModelRef & { model: ModelDetail | undefined };

/** The models of some runs, each once; without its facts while they come and when it is gone. */
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
  }));
}
