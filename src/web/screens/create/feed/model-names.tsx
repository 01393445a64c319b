import { useQueries } from "@tanstack/react-query";
import type { Run } from "#contract/entities.ts";
import { useSession } from "../../../shell/shell-data.ts";
import { isSameModel } from "../../models/model-ref.ts";
import { modelQuery } from "../../models/models.queries.ts";

/** The names of the models of some runs; the id of one that is gone. */
export function ModelNames({ runs }: { runs: readonly Run[] }) {
  const { project } = useSession();
  const refs = runs.filter((run, index) => runs.findIndex((other) => isSameModel(other, run)) === index);
  const models = useQueries({ queries: refs.map((ref) => modelQuery(project.id, ref)) });
  return <span>{refs.map((ref, index) => models[index]?.data?.name ?? ref.modelId).join(", ")}</span>;
}
