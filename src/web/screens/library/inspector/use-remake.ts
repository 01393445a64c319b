import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Asset, Run } from "#contract/entities.ts";
import { isEnded } from "../../../components/run/run-facts.ts";
import { call } from "../../../data/client.ts";
import { runQuery } from "../../../data/queries/shared.queries.ts";

export type Remake = {
  kind: "again" | "vary";
  runId: string;
  state: "running" | "same" | "other" | "failed";
  /** What came, once it came. */
  asset: Asset | null;
};

/** Whether the recipe holds a seed. The engine gives each run of a model that takes one a seed of its own, so without it there is none to change. */
export const hasSeed = (run: Pick<Run, "input">): boolean => typeof run.input.seed === "number";

/** "Make again" runs the recipe as it was; "vary" leaves the seed out, so that the run gets another. Follows what comes of it. */
export function useRemake(asset: Asset, run: Run | null) {
  const queryClient = useQueryClient();
  const [started, setStarted] = useState<{ kind: "again" | "vary"; runId: string } | null>(null);
  const create = useMutation({
    mutationFn: (kind: "again" | "vary") => {
      if (!run) throw new Error("An upload has no recipe.");
      const { seed: _, ...withoutSeed } = run.input;
      return call("createRuns", {
        body: {
          projectId: asset.projectId,
          models: [{ connectionId: run.connectionId, modelId: run.modelId }],
          task: run.task,
          input: kind === "again" ? run.input : withoutSeed,
          remixOf: run.id,
        },
      });
    },
    onSuccess: ({ runs }, kind) => {
      const [first] = runs;
      if (first) setStarted({ kind, runId: first.id });
      void queryClient.invalidateQueries({ queryKey: ["runs", asset.projectId] });
    },
  });
  const { data } = useQuery({ ...runQuery(started?.runId ?? ""), enabled: started !== null });
  return {
    start: (kind: "again" | "vary") => create.mutate(kind),
    isStarting: create.isPending,
    error: create.error,
    remake: started && toRemake(started, asset, data),
  };
}

function toRemake(
  { kind, runId }: { kind: "again" | "vary"; runId: string },
  original: Asset,
  detail: { run: Run; assets: Asset[] } | undefined,
): Remake {
  if (!detail || !isEnded(detail.run)) return { kind, runId, state: "running", asset: null };
  // A run of several outputs makes each of them again: the one at the same place is this one's.
  const asset =
    detail.assets.find(({ outputIndex }) => outputIndex === original.outputIndex) ??
    detail.assets[0] ??
    null;
  if (detail.run.state !== "succeeded" || !asset)
    return { kind, runId, state: "failed", asset: null };
  return { kind, runId, state: asset.sha256 === original.sha256 ? "same" : "other", asset };
}
