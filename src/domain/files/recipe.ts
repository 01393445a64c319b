import type { Asset, Run } from "#contract/entities.ts";
import type { JsonObject } from "#contract/json.ts";

/**
 * How a file was made, as the JSON stored next to it. `input` is given if it differs from the
 * run's.
 */
export const recipeOf = (asset: Asset, run: Run | undefined, input?: JsonObject) => ({
  asset: {
    id: asset.id,
    sha256: asset.sha256,
    mime: asset.mime,
    bytes: asset.bytes,
    width: asset.width,
    height: asset.height,
    durationMs: asset.durationMs,
    createdAt: new Date(asset.createdAt).toISOString(),
  },
  run: run
    ? {
        id: run.id,
        task: run.task,
        connectionId: run.connectionId,
        modelId: run.modelId,
        input: input ?? run.input,
        result: run.result,
        costMicros: run.costMicros,
        usage: run.usage,
      }
    : null,
});
