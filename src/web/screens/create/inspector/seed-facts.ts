import { useQuery } from "@tanstack/react-query";
import type { Run } from "#contract/entities.ts";
import { propertiesOf } from "#domain/schemas/input-schema.ts";
import { modelQuery } from "../../../data/queries/models.queries.ts";
import { t } from "../../../messages/t.ts";

/** Whether making a run's recipe again gives the same, and whether another seed is possible. The note says what is not. */
export function useSeedFacts(run: Run): { canVary: boolean; note: string | null } {
  const { data: model } = useQuery(modelQuery(run.projectId, run));
  if (!model) return { canVary: true, note: null };
  const takesSeed = "seed" in propertiesOf(model.inputSchema);
  const isExact = model.capabilities.deterministic === true;
  if (takesSeed) return { canVary: true, note: null };
  // Without a seed and without chance there is nothing to vary; with chance, making it again is the variation.
  return { canVary: !isExact, note: t(isExact ? "create.seed.exact" : "create.seed.none") };
}
