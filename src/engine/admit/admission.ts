import type {
  Model,
  ModelDetail,
  ModelRef,
  Run,
  RunWarning,
  Visibility,
} from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import type { JsonObject } from "#contract/json.ts";
import { type Task, tasks } from "#contract/tasks.ts";
import { checkInput } from "#domain/schemas/input-schema.ts";
import { getAssetsIn } from "#store/content/assets.ts";
import { findMessageByIdempotencyKey, type Idempotency } from "#store/content/conversations.ts";
import type { Tx } from "#store/database/store.ts";
import { getUsableConnection, keepConnections } from "#store/models/connections.ts";
import { isModelOpen } from "#store/models/model-access.ts";
import { getModel } from "#store/models/models.ts";
import { insertLedgerEntry } from "#store/money/ledger.ts";
import type { Outbox } from "#store/runs/outbox.ts";
import { findByIdempotencyKey, getRunsByIds } from "#store/runs/run-lists.ts";
import type { AskedOfAlias } from "#store/runs/run-rows.ts";
import { insertRun } from "#store/runs/runs.ts";
import { hashOf } from "../connections/catalogue.ts";
import { isFreeAt } from "../connections/run-place.ts";
import type { EngineDeps } from "../deps.ts";
import { holdForRuns, type PlannedRun } from "./budgets.ts";

/** Who asks, and through which key when a program does. */
export type Asker = { userId: string; key?: { id: string } };

const forNothing = ({ connectionKind: source, fetchedAt: at }: Model) => ({
  unit: "request",
  micros: "0",
  source,
  at,
});

/** One word for a model that is not there and for one that is not open to whoever asks: which of them it is, is not theirs to learn. */
const notHere = (connectionId: string): Problem =>
  new Problem("model_gone", {
    connectionId,
    message: "This model is no longer offered here, or it is not open to you. An admin can tell.",
  });

/** A model that this person may use in this project. @throws Problem model_gone */
export async function usableModel(
  deps: EngineDeps,
  asker: Asker,
  projectId: string,
  ref: ModelRef,
  task?: Task,
): Promise<ModelDetail> {
  const connection = await getUsableConnection(
    deps.store.read,
    ref.connectionId,
    asker.userId,
    projectId,
  );
  if (!connection || connection.status === "disabled")
    throw new Problem("model_gone", {
      message: "The connection of this model is not there any more, or is switched off.",
    });
  const model = await getModel(deps.store.read, ref.connectionId, ref.modelId);
  const isOpen =
    model &&
    (await isModelOpen(
      deps.store.read,
      { userId: asker.userId, projectId },
      connection,
      model.modelId,
    ));
  if (!isOpen || model.status === "gone") throw notHere(ref.connectionId);
  if (task && !model.tasks.includes(task))
    throw new Problem("invalid_input", {
      field: "task",
      message: `${model.name} ${doesNot(model, task)} Choose another model.`,
    });
  return withFreePrice(deps, connection, model);
}

/** What a person may have said of a model since it was chosen. */
export function doesNot({ tasks: own }: Pick<ModelDetail, "tasks">, task: Task): string {
  const does = own.map((one) => `“${tasks[one].name}”`).join(", ");
  return `does not do “${tasks[task].name}”${does && `: it does ${does}`}.`;
}

/** A local server that is free of charge prices nothing in its lists. */
export const withFreePrice = <Priced extends Model>(
  deps: Pick<EngineDeps, "kinds">,
  connection: { baseUrls: Record<string, string> },
  model: Priced,
): Priced =>
  isFreeAt(deps.kinds.get(model.connectionKind), connection)
    ? { ...model, prices: [forNothing(model)] }
    : model;

/** Once more in the admitting unit: a connection that was removed or switched off meanwhile would leave its runs queued for ever. */
export async function requireConnections(
  deps: EngineDeps,
  tx: Tx,
  models: readonly ModelDetail[],
): Promise<void> {
  const ids = models.map((model) => model.connectionId);
  const kept = await keepConnections(deps.store, tx, ids);
  const gone = ids.find((id) => !kept.has(id));
  if (gone) throw new Problem("model_gone", { connectionId: gone });
}

export type RunAsk = {
  projectId: string;
  visibility: "author" | "project";
  model: ModelDetail;
  task: Task;
  input: JsonObject;
  /** The most that it may cost; null when nobody knows. */
  mostMicros: number | null;
  batchId: string | null;
  messageId: string | null;
  retryOf?: string | null;
  remixOf?: string | null;
  idempotency?: Idempotency;
  /** Of a run that was asked for under an alias. */
  routed?: { alias: AskedOfAlias | null; dropped: string[] };
};

/** The row of a run to be: nothing of it is durable before its unit commits. */
export function newRun(deps: EngineDeps, asker: Asker, ask: RunAsk, at: number): PlannedRun {
  const inputHash = hashOf(ask.input);
  return {
    id: deps.ids(),
    projectId: ask.projectId,
    userId: asker.userId,
    apiKeyId: asker.key?.id ?? null,
    visibility: ask.visibility,
    connectionId: ask.model.connectionId,
    modelId: ask.model.modelId,
    schemaHash: ask.model.schemaHash,
    task: ask.task,
    input: ask.input,
    inputHash,
    requestHash:
      ask.idempotency?.requestHash ??
      hashOf([ask.model.connectionId, ask.model.modelId, ask.task, inputHash]),
    idempotencyScope: ask.idempotency?.scope ?? null,
    idempotencyKey: ask.idempotency?.key ?? null,
    batchId: ask.batchId,
    messageId: ask.messageId,
    retryOf: ask.retryOf ?? null,
    remixOf: ask.remixOf ?? null,
    priceSnapshot: ask.model.prices,
    heldMicros: ask.mostMicros ?? 0,
    isBounded: ask.mostMicros !== null,
    alias: ask.routed?.alias ?? null,
    warnings: warnOfDropped(ask.model.name, ask.routed?.dropped ?? []),
    at,
  };
}

/** What was asked and the model that runs has no field for. */
export const warnOfDropped = (name: string, dropped: readonly string[]): RunWarning[] =>
  dropped.map((feature) => ({
    type: "unsupported",
    feature,
    message: `${name} has no setting “${feature}”, so it was left out.`,
  }));

/**
 * The runs of one person and project with their first events and holds, in the caller's unit: when that commits they can't be
 * lost, and every budget that they count in has allowed all of them.
 * @throws Problem budget_exceeded, ceiling_needed
 */
export async function admitRuns(
  deps: EngineDeps,
  tx: Tx,
  outbox: Outbox,
  runs: readonly PlannedRun[],
  hold: typeof holdForRuns = holdForRuns,
): Promise<Run[]> {
  const waitingFor = await hold(deps, tx, runs);
  const admitted: Run[] = [];
  for (const { isBounded: _, asksFirst, ...run } of runs) {
    admitted.push(
      await insertRun(tx, outbox, { ...run, waitingFor: asksFirst ? "asker" : waitingFor }),
    );
    const {
      id: runId,
      projectId,
      userId,
      apiKeyId,
      connectionId,
      modelId,
      heldMicros: micros,
      at,
    } = run;
    const entry = { runId, projectId, userId, apiKeyId, connectionId, modelId, admittedAt: at, at };
    if (micros > 0) await insertLedgerEntry(tx, { ...entry, id: deps.ids(), kind: "hold", micros });
  }
  if (deps.failpoints) for (const run of admitted) await deps.failpoints.at("run.commit", run);
  return admitted;
}

/** The same key and request: what is already there. Another request under the key: refused. */
/** What was found under a key. @throws Problem idempotency_mismatch when it is another request's */
export function sameRequest<T extends { requestHash: string | null }>(
  found: T | undefined,
  requestHash: string,
): T | undefined {
  if (found && found.requestHash !== requestHash) throw new Problem("idempotency_mismatch");
  return found;
}

export function requireValid(model: ModelDetail, input: JsonObject): void {
  const issue = checkInput(model.inputSchema, input)[0];
  if (issue)
    throw new Problem("invalid_input", {
      field: issue.field ? `input.${issue.field}` : "input",
      message: `${model.name} does not accept this: ${issue.message}`,
    });
}

/** @returns who may see what is made from these files: one that is its author's alone keeps it theirs @throws Problem not_found */
export async function requireAssets(
  deps: EngineDeps,
  asker: Asker,
  projectId: string,
  ids: readonly string[],
): Promise<Visibility> {
  const found = await getAssetsIn(deps.store.read, projectId, asker.userId, ids);
  const known = new Set(found.map((asset) => asset.id));
  if (ids.some((id) => !known.has(id)))
    throw new Problem("not_found", {
      message: "One of the files is not in this project any more.",
    });
  return found.some(({ visibility }) => visibility === "author") ? "author" : "project";
}

/**
 * How private it makes a run to be made from earlier ones: what points at something private is as private itself.
 * @throws Problem not_found for one that this person does not see in the project
 */
export async function requireRuns(
  deps: EngineDeps,
  asker: Asker,
  projectId: string,
  ids: readonly string[],
): Promise<Visibility> {
  const found = (await getRunsByIds(deps.store.read, ids)).filter(
    (run) =>
      run.projectId === projectId && (run.visibility === "project" || run.userId === asker.userId),
  );
  if (found.length < ids.length)
    throw new Problem("not_found", {
      message: "The run that this is made from is not in this project.",
    });
  return found.some(({ visibility }) => visibility === "author") ? "author" : "project";
}

/** What was admitted under a key: a run, a message, or one with the other. @throws Problem idempotency_mismatch when it is another request's */
export async function foundUnderKey(deps: EngineDeps, { scope, key, requestHash }: Idempotency) {
  // The message first: its run was committed with it, so whoever finds the one finds the other.
  const said = sameRequest(
    await findMessageByIdempotencyKey(deps.store.read, scope, key),
    requestHash,
  );
  const run = sameRequest(await findByIdempotencyKey(deps.store.read, scope, key), requestHash);
  return { run, message: said?.message };
}

/**
 * One request under one key is admitted once: what is there already is given back, also to the loser of two that came together.
 * @param existing what was admitted under the key before, if anything @throws Problem idempotency_mismatch, and what `admit` throws
 */
export async function admitOnce<T>(
  existing: () => Promise<T | undefined>,
  admit: () => Promise<T>,
): Promise<T> {
  const before = await existing();
  if (before) return before;
  try {
    return await admit();
  } catch (error) {
    const winner = await existing();
    if (winner) return winner;
    throw error;
  }
}
