import { useInfiniteQuery } from "@tanstack/react-query";
import type { Asset, Run } from "#contract/entities.ts";
import { batchesQuery } from "../../data/queries/create.queries.ts";
import { useSession } from "../../data/shell-data.ts";

/** A run with its results; empty while it runs or if it failed. */
export type RunResult = { run: Run; assets: readonly Asset[] };

/** The runs of these batches with their results, newest batch first. */
export function useBatchResults(batchIds: readonly string[]): RunResult[] {
  const { project } = useSession();
  const { data } = useInfiniteQuery({ ...batchesQuery(project.id), enabled: batchIds.length > 0 });
  return (data?.pages ?? [])
    .flatMap(({ batches }) => batches)
    .filter(({ id }) => batchIds.includes(id))
    .flatMap(({ runs, assets }) =>
      runs.map((run) => ({ run, assets: assets.filter(({ runId }) => runId === run.id) })),
    );
}
