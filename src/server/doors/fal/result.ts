import type { JsonObject } from "#contract/json.ts";
import type { Actor } from "#domain/people/policy.ts";
import { listAssetsOfRuns } from "#store/content/assets.ts";
import { listOutputs } from "#store/runs/outputs.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import type { ServerDeps } from "../../deps.ts";
import type { Asking } from "../programs/follow.ts";
import { bearerOf, type Host, type LinkDeps, linkTo, weekMs } from "../programs/links.ts";
import { restoreOutput } from "./output.ts";

/**
 * Responds with the result of a succeeded run, in its model's form, with our URLs for its files.
 */
export async function answerResult(
  deps: ServerDeps,
  asking: Asking,
  run: OwnedRun,
): Promise<Response> {
  const units = (run.usage as { units?: Record<string, string> } | null)?.units?.["billable-units"];
  const headers = {
    "x-fal-request-id": run.id,
    ...(units !== undefined && { "x-fal-billable-units": units }),
  };
  return asking.c.json(await resultOf(deps, asking, run), 200, headers);
}

/** Returns the result of `answerResult` without a response. */
export async function resultOf(
  deps: LinkDeps,
  { actor, line }: { actor: Actor; line: Host },
  run: OwnedRun,
): Promise<JsonObject> {
  const assets = new Map(
    (await listAssetsOfRuns(deps.store.read, [run.id])).map((asset) => [asset.id, asset]),
  );
  const outputs = new Map(
    (await listOutputs(deps.store.read, run.id)).map(({ index, assetId }) => [
      index,
      assetId && assets.get(assetId),
    ]),
  );
  return restoreOutput((run.result ?? {}) as JsonObject, (index) => {
    const asset = outputs.get(index);
    return asset ? linkTo(deps, line, bearerOf(actor), asset, weekMs) : null;
  });
}
