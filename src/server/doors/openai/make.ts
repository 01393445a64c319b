import type { Asset, ModelDetail, Run } from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import type { JsonObject, JsonSchema } from "#contract/json.ts";
import { sentences } from "#contract/sentences/index.ts";
import type { Task } from "#contract/tasks.ts";
import { propertiesOf } from "#domain/schemas/input-schema.ts";
import { admitBatch } from "#engine/admit/admit-media.ts";
import { requireService } from "#engine/connections/circuit.ts";
import { listAssetsOfRuns } from "#store/content/assets.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import type { ServerDeps } from "../../deps.ts";
import { type Asking, endOf, keyOf, refuseBeforeFiles, requireGoing } from "../programs/follow.ts";
import { findNamed, reachOf, taskOf } from "../programs/models.ts";
import { failureOf } from "../programs/run-problem.ts";

export type GenerationRequest = {
  /** The model's name, or the model itself. */
  model: string | ModelDetail;
  tasks: readonly Task[];
  /** Called after the model was found. Checks the request before it saves its files. */
  input: (model: ModelDetail) => JsonObject | Promise<JsonObject>;
  count?: number;
  keySuffix?: string;
};
export type CompletedRuns = { runs: OwnedRun[]; assets: Asset[]; model: ModelDetail };

/**
 * Runs any model except a chat, and waits for the result.
 * @returns undefined when the client has gone
 * @throws RunProblem when there is no result
 */
export const make = async (
  deps: ServerDeps,
  asking: Asking,
  ask: GenerationRequest,
): Promise<CompletedRuns | undefined> => collect(deps, asking, await begin(deps, asking, ask));

/** Runs that were started. */
export type StartedRuns = { runs: readonly Run[]; model: ModelDetail };

/**
 * Admits the runs.
 * @throws Problem
 */
export async function begin(
  deps: ServerDeps,
  asking: Asking,
  ask: GenerationRequest,
): Promise<StartedRuns> {
  const { actor, projectId, c } = asking;
  deps.calls.begin(c.env.outgoing);
  const model =
    typeof ask.model === "string" ? await findNamed(deps, reachOf(asking), ask.model) : ask.model;
  const task = taskOf(model, ask.tasks);
  const key = keyOf(c);
  const { connectionId, modelId } = model;
  // With a key, the request may repeat a run that already has its result.
  if (key === undefined) await requireService(deps, { connectionId, modelId });
  refuseBeforeFiles(deps, asking, model);
  const input = await ask.input(model);
  const idempotencyKey = key && `${key}${ask.keySuffix ?? ""}`;
  const { runs } = await admitBatch(deps, actor, {
    projectId,
    models: [{ connectionId, modelId }],
    task,
    input,
    variants: ask.count ?? 1,
    ...(idempotencyKey && { idempotencyKey }),
  });
  await requireGoing(deps, runs);
  return { runs, model };
}

/**
 * Waits for the runs and collects their results.
 * @returns undefined when the client has gone
 * @throws RunProblem when there is no result
 */
export async function collect(
  deps: ServerDeps,
  asking: Asking,
  { runs, model }: StartedRuns,
): Promise<CompletedRuns | undefined> {
  const ends = await Promise.allSettled(runs.map((run) => endOf(deps, asking, run.id)));
  const ended = ends.flatMap((end) => (end.status === "fulfilled" && end.value ? [end.value] : []));
  const failures = ends.flatMap((end) => (end.status === "rejected" ? [end.reason] : []));
  if (ended.length === 0 && failures.length > 0) throw failureOf(failures);
  if (asking.gone.aborted) return undefined;
  const ids = ended.map(({ id }) => id);
  const place = new Map(ids.map((id, i) => [id, i]));
  const assets = (await listAssetsOfRuns(deps.store.read, ids)).sort(
    (a, b) =>
      (place.get(a.runId ?? "") ?? 0) - (place.get(b.runId ?? "") ?? 0) ||
      (a.outputIndex ?? 0) - (b.outputIndex ?? 0),
  );
  return { runs: ended, assets, model };
}

export async function readBytes(deps: ServerDeps, { sha256 }: Asset): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of await deps.blobs.get(sha256)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

export type Fields = { own: Record<string, JsonSchema>; isKnown: boolean; model: ModelDetail };
/** Returns the fields of a model's own form. For an unknown form, the first name tried is used. */
export const fieldsOf = (model: ModelDetail): Fields => ({
  own: propertiesOf(model.inputSchema),
  isKnown: model.inputSchema !== null,
  model,
});

/** Returns the first of these names that the model's form has. */
export const nameIn = ({ own, isKnown }: Fields, names: readonly string[]): string | undefined =>
  isKnown ? names.find((name) => Object.hasOwn(own, name)) : names[0];

/** @throws Problem invalid_input for a field that this model lacks */
export function refuseField({ model }: Fields, field: string): never {
  throw new Problem("invalid_input", {
    field,
    message: sentences.api.notTaken({ model: model.name, parameter: field }),
  });
}

/**
 * Passes settings on under their own names. Names those that the model lacks in `dropped`.
 * @param needed settings without which the result would be another one
 * @throws Problem invalid_input for one of these, or a file, that the model lacks
 */
export function passOn(
  fields: Fields,
  given: Record<string, unknown>,
  dropped: Set<string>,
  needed: readonly string[] = [],
): JsonObject {
  const passed: [string, unknown][] = [];
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || value === null) continue;
    if (nameIn(fields, [name]) !== undefined) passed.push([name, value]);
    else if (needed.includes(name) || hasFile(value)) refuseField(fields, name);
    else dropped.add(name);
  }
  return Object.fromEntries(passed) as JsonObject;
}

/** Whether a value is or contains an address: the result would be made without its file. */
const hasFile = (value: unknown): boolean =>
  typeof value === "string"
    ? /^(data:|asset:|https?:\/\/)/i.test(value)
    : typeof value === "object" && value !== null && Object.values(value).some(hasFile);
