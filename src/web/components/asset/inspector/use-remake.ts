import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Asset, Run } from "#contract/entities.ts";
import { makeAgain } from "../../../data/queries/create.queries.ts";
import { runQuery } from "../../../data/queries/shared.queries.ts";
import { isEnded } from "../../run/run-facts.ts";

export type Remake = {
  kind: "again" | "vary";
  runId: string;
  state: "running" | "same" | "other" | "failed";
  /** What came, once it came. */
  asset: Asset | null;
};

/** "Make again" runs the recipe as it was; "vary" leaves the seed out, so that the run gets another. Follows what comes of it. */
export function useRemake(asset: Asset, run: Run) {
  const queryClient = useQueryClient();
  const [started, setStarted] = useState<{ kind: "again" | "vary"; runId: string } | null>(null);
  const create = useMutation({
    mutationFn: (kind: "again" | "vary") =>
      makeAgain(queryClient, run, kind === "again" ? "same" : "another"),
    onSuccess: ({ runs }, kind) => {
      const [first] = runs;
      if (first) setStarted({ kind, runId: first.id });
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
