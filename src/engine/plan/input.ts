import { aliasConnectionId } from "#contract/aliases.ts";
import type { ModelDetail, Visibility } from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import type { JsonObject } from "#contract/json.ts";
import type { Task } from "#contract/tasks.ts";
import { asFormInput, whyNoBatch } from "#domain/runs/embedding-batch.ts";
import { assetsInInput, withRequiredDefaults } from "#domain/schemas/input-schema.ts";
import type { Asker } from "../connections/usable-model.ts";
import type { EngineDeps } from "../deps.ts";
import { requireAssets, requireValid } from "./checks.ts";
import { priceInput } from "./price.ts";
import { type Routed, routeAsk } from "./route-ask.ts";

/** A checked and priced run of a form. */
export type PlannedInput = {
  model: ModelDetail;
  input: JsonObject;
  mostMicros: number | null;
  routed: Routed;
  files: { assetId: string; role: string }[];
  /** The visibility of the files that the run is made from. */
  visibility: Visibility;
};

/**
 * Plans one run of a model's form.
 * @throws Problem invalid_input with the field, not_found for a file
 */
export async function planInput(
  deps: EngineDeps,
  asker: Asker,
  model: ModelDetail,
  ask: { projectId: string; task: Task; input: JsonObject },
): Promise<PlannedInput> {
  const input = withRequiredDefaults(model.inputSchema, ask.input);
  requireValid(model, asFormInput(ask.task, input));
  const files = assetsInInput(input);
  const fileIds = files.map(({ assetId }) => assetId);
  const visibility = await requireAssets(deps, asker, ask.projectId, fileIds);
  return { ...(await routeInput(deps, asker, model, ask, input)), files, visibility };
}

/**
 * Picks the model for an input, and the most that the run can cost on it.
 * @throws Problem invalid_input
 */
export async function routeInput(
  deps: EngineDeps,
  asker: Asker,
  asked: ModelDetail,
  of: { projectId: string; task: Task },
  given: JsonObject,
): Promise<Pick<PlannedInput, "model" | "input" | "mostMicros" | "routed">> {
  const whyUnable = ({ connectionKind }: ModelDetail): string | null =>
    whyNoBatch(of.task, given, deps.kinds.get(connectionKind)?.embeds);
  const message = asked.connectionId === aliasConnectionId ? null : whyUnable(asked);
  if (message !== null) throw new Problem("invalid_input", { field: "input.input", message });
  const routed = await routeAsk(deps, asked, given, {
    priceOf: priceInput(deps, asker, of),
    whyUnable,
  });
  return { model: routed.model, input: routed.given, mostMicros: routed.mostMicros, routed };
}
