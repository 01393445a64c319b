import { useQuery } from "@tanstack/react-query";
import type { Run } from "#contract/entities.ts";
import { isMadeByForm } from "#contract/tasks.ts";
import { propertiesOf } from "#domain/schemas/input-schema.ts";
import { modelQuery } from "../../../data/queries/models.queries.ts";
import { t } from "../../../messages/t.ts";

/** Whether making a run's recipe again gives the same, and whether another seed is possible. The note says what is not. */
export function useSeedFacts(run: Run): { canVary: boolean; note: string | null } {
  const { data: model } = useQuery(modelQuery(run.projectId, isMadeByForm(run.task) ? run : null));
  if (typeof run.input.seed === "number" || !model) return { canVary: true, note: null };
  if ("seed" in propertiesOf(model.inputSchema)) return { canVary: true, note: null };
  const isExact = model.capabilities.deterministic === true;
  // Without a seed and without chance there is nothing to vary; with chance, making it again is the variation.
  return { canVary: !isExact, note: t(isExact ? "asset.exact" : "asset.noSeed") };
}
