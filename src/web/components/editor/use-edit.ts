import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { Asset, ModelRef } from "#contract/entities.ts";
import type { JsonObject } from "#contract/json.ts";
import { makeRuns } from "../../data/queries/create.queries.ts";
import { modelQuery, modelsQuery } from "../../data/queries/models.queries.ts";
import { runQuery } from "../../data/queries/shared.queries.ts";
import { formatPrice } from "../../messages/format.ts";
import { t } from "../../messages/t.ts";
import { estimatePrice } from "../model/estimate-price.ts";
import { isEnded } from "../run/run-facts.ts";

export type EditTool = "crop" | "adjust";

/** A tool's built-in model; undefined while it loads, null if an admin has disabled it. */
function useTool(projectId: string, tool: EditTool) {
  const listed = useInfiniteQuery(modelsQuery(projectId, { task: "edit", search: tool }));
  const found = listed.data?.pages
    .flatMap(({ models }) => models)
    .find(
      ({ connectionKind, modelId }) => connectionKind === "builtin" && modelId === `edit/${tool}`,
    );
  const ref: ModelRef | null = found
    ? { connectionId: found.connectionId, modelId: found.modelId }
    : null;
  const detail = useQuery(modelQuery(projectId, ref)).data;
  return {
    ref,
    model: detail,
    isMissing: listed.data !== undefined && !listed.isPlaceholderData && !found,
    error: listed.error,
  };
}

/**
 * Edits a picture with a run of the built-in model, and passes the result on as soon as it exists.
 */
export function useEdit(asset: Asset, tool: EditTool, onDone: (assetId: string) => void) {
  const queryClient = useQueryClient();
  const { ref, model, isMissing, error } = useTool(asset.projectId, tool);
  const [runId, setRunId] = useState<string | null>(null);
  const detail = useQuery(runQuery(runId)).data;
  const making = useMutation({
    mutationFn: (input: JsonObject) => {
      if (!ref) throw new Error("The tool is not there.");
      return makeRuns(queryClient, {
        projectId: asset.projectId,
        models: [ref],
        task: "edit",
        input: { image: `asset:${asset.id}`, ...input },
        variants: 1,
      });
    },
    onSuccess: ({ runs }) => setRunId(runs[0]?.id ?? null),
  });
  const run = detail?.run;
  const made = run && isEnded(run) ? detail.assets[0] : undefined;
  useEffect(() => {
    if (made) onDone(made.id);
  }, [made?.id]);
  const hasFailed = run !== undefined && isEnded(run) && !made;
  const failure =
    making.error ??
    (hasFailed ? (run.error ?? { code: "provider_failed", message: t("edit.stopped") }) : null);
  const price = (input: JsonObject) =>
    model ? formatPrice(estimatePrice(model, { input, variants: 1 })) : null;
  return {
    isMissing,
    failure: failure ?? error,
    isBusy: making.isPending || (runId !== null && !hasFailed),
    canMake: ref !== null,
    price,
    make: (input: JsonObject) => {
      setRunId(null);
      making.mutate(input);
    },
  };
}
