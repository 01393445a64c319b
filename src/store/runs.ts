import { type Selectable, sql } from "kysely";
import type { Model, ModelRef, Run, RunError, RunEvent, RunState, RunWarning, WaitingReason } from "#contract/entities.ts";
import type { NewRunEvent, RunEventPayloads } from "#contract/events.ts";
import type { JsonObject } from "#contract/json.ts";
import type { Task } from "#contract/tasks.ts";
import { whyNotReady } from "#domain/circuit.ts";
import { isFinal, nextState, openStates, type RunStep } from "#domain/run-machine.ts";
import { fromCursor, page } from "./cursor.ts";
import { hookOfRun } from "./hooks.ts";
import type { ImportedFacts } from "./imported-rows.ts";
import { fromJson, fromJsonOrNull, toJson, toJsonOrNull } from "./json.ts";
import { literals } from "./literals.ts";
import type { Outbox } from "./outbox.ts";
import { prepared } from "./prepared.ts";
import type { RunRow } from "./schema.ts";
import type { Reader, Store, Tx } from "./store.ts";

/** A model behind an alias that was not asked, or did not accept, and why in a sentence. */
export type PassedOver = RunEventPayloads["model-passed-over"];

/** A model that is tried when those before it surely did not accept: with its own input and hold, under the prices of the admission. */
export type NextModel = ModelRef & {
  name: string;
  schemaHash: string | null;
  /** The input, or of an answer the settings: what its form has of what was asked. */
  given: JsonObject;
  /** What was asked and its form does not have. */
  dropped: string[];
  prices: Model["prices"];
  /** The most that it may cost, in micro-dollars; null when nobody knows. */
  mostMicros: number | null;
};

export type AskedOfAlias = {
  name: string;
  /** All of the input, or of an answer the settings, whatever of it the model that runs has fields for. */
  asked: JsonObject;
  passedOver: PassedOver[];
  next: NextModel[];
};

/** Thrown in a unit whose worker does not own the run any more: it writes nothing. */
export class Fenced extends Error {
  override readonly name = "Fenced";
}

/** A run as the engine works on it: the contract's entity with what only the road needs. */
export type OwnedRun = Run & {
  apiKeyId: string | null;
  fence: number;
  attempts: number;
  requestHash: string;
  /** Where the caller's word for the request counts; null for a run that is found by none. */
  idempotencyScope: string | null;
  /** That word; null once the request may come anew. */
  idempotencyKey: string | null;
  notBefore: number | null;
  workerId: string | null;
  /** The prices that the run was admitted under, whatever the model costs now. */
  prices: Model["prices"];
  /** Behind an alias: what is tried next, as it was planned when the run was admitted. */
  nextModels: NextModel[];
  /** What was asked of the alias, as `AskedOfAlias` has it; null without one. */
  asked: JsonObject | null;
};

export function toRun(row: Selectable<RunRow>): Run {
  return {
    id: row.id,
    projectId: row.project_id,
    userId: row.user_id,
    visibility: row.visibility,
    connectionId: row.connection_id,
    modelId: row.model_id,
    alias: row.alias,
    task: row.task as Task,
    state: row.state as RunState,
    input: fromJson(row.input),
    progress: fromJsonOrNull(row.progress),
    queuePlace: row.queue_place,
    cancelRequestedAt: row.cancel_requested_at,
    batchId: row.batch_id,
    messageId: row.message_id,
    retryOf: row.retry_of,
    remixOf: row.remix_of,
    heldMicros: row.held_micros,
    costMicros: row.cost_micros,
    costBasis: row.cost_basis,
    waitingFor: row.waiting_for as WaitingReason | null,
    usage: fromJsonOrNull(row.usage),
    result: fromJsonOrNull(row.result),
    warnings: fromJson<RunWarning[]>(row.warnings),
    error: fromJsonOrNull<RunError>(row.error),
    createdAt: row.created_at,
    startedAt: row.started_at,
    firstOutputAt: row.first_output_at,
    finishedAt: row.finished_at,
    lastSeq: row.seq,
    ...(row.imported && { imported: shownOf(fromJson<ImportedFacts>(row.imported)) }),
  };
}

const shownOf = ({ costMicros, costBasis, person, modelName }: ImportedFacts): Run["imported"] => ({
  costMicros,
  costBasis,
  person,
  modelName,
});

export function toOwnedRun(row: Selectable<RunRow>): OwnedRun {
  return {
    ...toRun(row),
    apiKeyId: row.api_key_id,
    fence: row.fence,
    attempts: row.attempts,
    requestHash: row.request_hash,
    idempotencyScope: row.idempotency_scope,
    idempotencyKey: row.idempotency_key,
    notBefore: row.not_before,
    workerId: row.worker_id,
    prices: fromJsonOrNull<Model["prices"]>(row.price_snapshot) ?? [],
    nextModels: fromJsonOrNull<NextModel[]>(row.next_models) ?? [],
    asked: fromJsonOrNull<JsonObject>(row.asked),
  };
}

export type NewRun = {
  id: string;
  projectId: string;
  userId: string;
  apiKeyId: string | null;
  visibility: "author" | "project";
  connectionId: string;
  modelId: string;
  schemaHash: string | null;
  task: Task;
  input: JsonObject;
  inputHash: string;
  requestHash: string;
  idempotencyScope: string | null;
  idempotencyKey: string | null;
  batchId: string | null;
  messageId: string | null;
  retryOf: string | null;
  remixOf: string | null;
  priceSnapshot: unknown;
  heldMicros: number;
  /** What of the input the model does not have, where it is not the one that was asked for. */
  warnings?: RunWarning[];
  alias?: AskedOfAlias | null;
  /** A person's word that it waits for; nobody claims it before. */
  waitingFor: WaitingReason | null;
  at: number;
};

const insertRow = prepared((db, row: RunRow) => db.insertInto("run").values(row));
const insertEventRow = prepared((db, row: { run_id: string; seq: number; type: string; payload: string; at: number }) =>
  db.insertInto("run_event").values(row),
);
const lockRow = prepared((db, { id }: { id: string }, store: Store) =>
  store.forUpdate(db.selectFrom("run").selectAll().where("id", "=", id)),
);
const updateRow = prepared((db, { runId, ...set }: Partial<RunRow> & { runId: string }) =>
  db.updateTable("run").set(set).where("id", "=", runId),
);
const advanceRow = prepared(
  (db, { runId, ownFence, places, ...set }: Partial<RunRow> & { runId: string; ownFence: number; places: number }) =>
    db
      .updateTable("run")
      .set((e) => ({ ...set, seq: e("seq", "+", places) }))
      .where("id", "=", runId)
      .where("fence", "=", ownFence)
      .where("finished_at", "is", null)
      .returning("seq"),
);
const findRow = prepared((db, { id }: { id: string }) => db.selectFrom("run").selectAll().where("id", "=", id));
const findWish = prepared((db, { id }: { id: string }) => db.selectFrom("run").select("cancel_requested_at").where("id", "=", id));
const eventsAfter = prepared((db, { runId, after, limit }: { runId: string; after: number; limit: number }) =>
  db.selectFrom("run_event").selectAll().where("run_id", "=", runId).where("seq", ">", after).orderBy("seq").limit(limit),
);

/** The row and its first event: from here on it can't be lost. */
export async function insertRun(tx: Tx, outbox: Outbox, run: NewRun): Promise<Run> {
  const passedOver = (run.alias?.passedOver ?? []).map((payload) => ({ type: "model-passed-over", payload }) as const);
  const row: RunRow = {
    id: run.id,
    project_id: run.projectId,
    user_id: run.userId,
    visibility: run.visibility,
    api_key_id: run.apiKeyId,
    connection_id: run.connectionId,
    model_id: run.modelId,
    schema_hash: run.schemaHash,
    task: run.task,
    input: toJson(run.input),
    input_hash: run.inputHash,
    state: "queued",
    progress: null,
    queue_place: null,
    priority: 0,
    not_before: null,
    cancel_requested_at: null,
    idempotency_scope: run.idempotencyScope,
    idempotency_key: run.idempotencyKey,
    request_hash: run.requestHash,
    batch_id: run.batchId,
    message_id: run.messageId,
    retry_of: run.retryOf,
    remix_of: run.remixOf,
    prompt_version_id: null,
    waiting_for: run.waitingFor,
    held_micros: run.heldMicros,
    cost_micros: null,
    cost_basis: null,
    price_snapshot: toJsonOrNull(run.priceSnapshot),
    usage: null,
    result: null,
    warnings: toJson(run.warnings ?? []),
    error: null,
    worker_id: null,
    fence: 0,
    seq: 1 + passedOver.length,
    attempts: 0,
    created_at: run.at,
    started_at: null,
    first_output_at: null,
    finished_at: null,
    pruned_at: null,
    imported: null,
    alias: run.alias?.name ?? null,
    next_models: toJsonOrNull(run.alias && run.alias.next.length > 0 ? run.alias.next : null),
    asked: toJsonOrNull(run.alias?.asked ?? null),
  };
  await insertRow(tx, row);
  await insertEvents(
    tx,
    outbox,
    run.id,
    0,
    [...passedOver, { type: "run-queued", payload: run.waitingFor ? { waitingFor: run.waitingFor } : {} }],
    run.at,
  );
  outbox.changes.push({ projectId: run.projectId, userId: onlyFor(row), kind: "run", id: run.id, at: run.at });
  if (run.waitingFor === null) outbox.queued.add(run.connectionId);
  return toRun(row);
}

const onlyFor = (row: { visibility: string; user_id: string }): string | null => (row.visibility === "author" ? row.user_id : null);

export async function insertEvents(
  tx: Tx,
  outbox: Outbox,
  runId: string,
  seq: number,
  events: readonly NewRunEvent[],
  at: number,
): Promise<void> {
  if (events.length === 0) return;
  const rows = events.map((event, i): RunEvent => ({ runId, seq: seq + i + 1, type: event.type, payload: event.payload, at }));
  for (const row of rows) await insertEventRow(tx, { run_id: runId, seq: row.seq, type: row.type, payload: toJson(row.payload), at });
  outbox.events.push(...rows);
}

/** Whoever lists the runs of its project, or its author alone, learns that it changed. */
export function tellOfRun(outbox: Outbox, run: Pick<Run, "id" | "projectId" | "userId" | "visibility">, at: number): void {
  const userId = run.visibility === "author" ? run.userId : null;
  outbox.changes.push({ projectId: run.projectId, userId, kind: "run", id: run.id, at });
}

export type RunChange = {
  runId: string;
  /** One step, or several that are taken at once: nobody sees the states between. */
  step: RunStep | readonly RunStep[];
  /** The owner's fence; left out by what does not own the run (a cancel of a queued run, a person's word). */
  fence?: number;
  /** What a claim read without a lock: it takes a run that is still there, waits for nobody's word, and no other. */
  expect?: { connectionId: string; fence: number };
  events?: readonly NewRunEvent[];
  set?: Partial<RunRow>;
  at: number;
};

/**
 * The only writer of `state`: takes a run a step along the machine, with its events and its project's notice.
 * @returns the run after the step, or undefined when the machine does not allow it or it is not as expected: then nothing was written.
 * @throws Fenced when another worker owns the run
 */
export async function moveRun(store: Store, tx: Tx, outbox: Outbox, change: RunChange): Promise<OwnedRun | undefined> {
  const [row] = await lockRow(tx, { id: change.runId }, store);
  if (!row) return undefined;
  if (change.fence !== undefined && row.fence !== change.fence) throw new Fenced(change.runId);
  if (change.expect && !isAs(row, change.expect)) return undefined;
  let state: RunState | undefined = row.state as RunState;
  for (const step of [change.step].flat()) state = state && nextState(state, step);
  if (!state) return undefined;
  const events = change.events ?? [];
  const ended = isFinal(state) ? { finished_at: change.at, worker_id: null, progress: null, queue_place: null } : {};
  const set: Partial<RunRow> = { ...change.set, ...ended, state, seq: row.seq + events.length };
  await updateRow(tx, { ...set, runId: row.id });
  await insertEvents(tx, outbox, row.id, row.seq, events, change.at);
  outbox.changes.push({ projectId: row.project_id, userId: onlyFor(row), kind: "run", id: row.id, at: change.at });
  const moved = toOwnedRun({ ...row, ...set });
  const hook = hookOfRun(moved, events, change.at);
  if (hook) outbox.hooks.push(hook);
  return moved;
}

const isAs = (row: Selectable<RunRow>, { connectionId, fence }: { connectionId: string; fence: number }): boolean =>
  row.connection_id === connectionId && row.fence === fence && row.waiting_for === null;

/**
 * Adds events to a run that this worker owns, without a change of state: deltas, progress, logs.
 * @throws Fenced when another worker owns the run or it has ended
 */
export async function appendRunEvents(
  tx: Tx,
  outbox: Outbox,
  run: { id: string; fence: number },
  events: readonly NewRunEvent[],
  set: Partial<RunRow>,
  at: number,
): Promise<void> {
  const [updated] = await advanceRow(tx, { ...set, runId: run.id, ownFence: run.fence, places: events.length });
  if (!updated) throw new Fenced(run.id);
  await insertEvents(tx, outbox, run.id, updated.seq - events.length, events, at);
}

/**
 * A queued run waits for a person's word from now on, or no longer (`to` null): then it may be claimed.
 * @returns undefined when it does not wait for `from`, or is not queued any more: then nothing was written
 */
export async function changeWaiting(
  store: Store,
  tx: Tx,
  outbox: Outbox,
  runId: string,
  change: { from: WaitingReason | null; to: WaitingReason | null; at: number },
): Promise<OwnedRun | undefined> {
  const [row] = await lockRow(tx, { id: runId }, store);
  if (row?.state !== "queued" || row.waiting_for !== change.from) return undefined;
  const set = { waiting_for: change.to, seq: row.seq + 1 };
  await updateRow(tx, { ...set, runId });
  const payload = change.to === null ? {} : { waitingFor: change.to };
  await insertEvents(tx, outbox, runId, row.seq, [{ type: "run-queued", payload }], change.at);
  outbox.changes.push({ projectId: row.project_id, userId: onlyFor(row), kind: "run", id: runId, at: change.at });
  if (change.to === null) outbox.queued.add(row.connection_id);
  return toOwnedRun({ ...row, ...set });
}

/** What was made of a message, newest first; without those that are someone else's alone. */
export async function listRunsOfMessage(db: Reader, of: { messageId: string; userId: string; task: Task; limit: number }): Promise<Run[]> {
  const rows = await db
    .selectFrom("run")
    .selectAll()
    .where("message_id", "=", of.messageId)
    .where("task", "=", of.task)
    .where((e) => e.or([e("visibility", "=", "project"), e("user_id", "=", of.userId)]))
    .orderBy("id", "desc")
    .limit(of.limit)
    .execute();
  return rows.map(toRun);
}

/**
 * A queued run goes to another model, before anybody has claimed it.
 * @returns false when it is not queued for the model any more that it was read with: then nothing was written
 */
export async function redirectQueued(
  store: Store,
  tx: Tx,
  outbox: Outbox,
  run: OwnedRun,
  change: { set: Partial<RunRow>; events: readonly NewRunEvent[]; at: number },
): Promise<boolean> {
  const [row] = await lockRow(tx, { id: run.id }, store);
  if (row?.state !== "queued" || row.fence !== run.fence || row.connection_id !== run.connectionId || row.model_id !== run.modelId)
    return false;
  await updateRow(tx, { ...change.set, seq: row.seq + change.events.length, runId: row.id });
  await insertEvents(tx, outbox, row.id, row.seq, change.events, change.at);
  outbox.changes.push({ projectId: row.project_id, userId: onlyFor(row), kind: "run", id: row.id, at: change.at });
  return true;
}

/** The models behind its alias that a run did not come to, in the order in which they were passed over. */
export async function listPassedOver(db: Reader, runId: string): Promise<PassedOver[]> {
  const rows = await db
    .selectFrom("run_event")
    .select("payload")
    .where("run_id", "=", runId)
    .where("type", "=", "model-passed-over")
    .orderBy("seq")
    .execute();
  return rows.map(({ payload }) => fromJson<PassedOver>(payload));
}

/** Queued runs that have another model to go to, whose own can't be asked now, and why: a few at a time, oldest first. `last` is where the next few begin. */
export async function listWaitingForService(
  db: Reader,
  { now, after }: { now: number; after: string },
): Promise<{ waiting: { run: OwnedRun; whyNot: string }[]; last: string | undefined }> {
  const rows = await db
    .selectFrom("run")
    .innerJoin("connection", "connection.id", "run.connection_id")
    .selectAll("run")
    .select(["connection.status", "connection.failures", "connection.paused_until"])
    .where("run.state", "=", sql.lit("queued"))
    .where("run.next_models", "is not", null)
    .where("run.id", ">", after)
    .where("run.waiting_for", "is", null)
    .where((e) => e.or([e("connection.status", "in", ["disabled", "failing"]), e("connection.paused_until", ">", now)]))
    .orderBy("run.id")
    .limit(100)
    .execute();
  const waiting = rows.flatMap(({ status, failures, paused_until, ...row }) => {
    const whyNot = whyNotReady({ status, circuit: { failures, pausedUntil: paused_until } }, now);
    return whyNot === null ? [] : [{ run: toOwnedRun(row), whyNot }];
  });
  return { waiting, last: rows.at(-1)?.id };
}

/** Runs of a project that wait for a person's word, oldest first; without those that are someone else's alone. */
export async function listWaitingIds(
  db: Reader,
  of: { projectId: string; userId: string; waitingFor: WaitingReason; limit: number },
): Promise<string[]> {
  const rows = await db
    .selectFrom("run")
    .select("id")
    .where("project_id", "=", of.projectId)
    .where("state", "=", sql.lit("queued"))
    .where("waiting_for", "=", of.waitingFor)
    .where((e) => e.or([e("visibility", "=", "project"), e("user_id", "=", of.userId)]))
    .orderBy("id")
    .limit(of.limit)
    .execute();
  return rows.map((row) => row.id);
}

/** A run that waits for a word about money, with what may be said of it to whoever has to give the word. */
export type WaitingRun = { run: OwnedRun; projectName: string; personName: string; modelName: string };

/** Every run that waits for a person's word about a budget, oldest first. */
export async function listWaitingRuns(db: Reader, of: { after: string; limit: number }): Promise<WaitingRun[]> {
  const rows = await db
    .selectFrom("run")
    .innerJoin("project", "project.id", "run.project_id")
    .innerJoin("user", "user.id", "run.user_id")
    .leftJoin("model", (join) => join.onRef("model.connection_id", "=", "run.connection_id").onRef("model.model_id", "=", "run.model_id"))
    .selectAll("run")
    .select(["project.name as project_name", "user.name as person_name", "model.name as model_name"])
    .where("run.state", "=", sql.lit("queued"))
    .where("run.waiting_for", "in", literals(["manager", "admin"]))
    .where("run.id", ">", of.after)
    .orderBy("run.id")
    .limit(of.limit)
    .execute();
  return rows.map(({ project_name, person_name, model_name, ...row }) => ({
    run: toOwnedRun(row),
    projectName: project_name,
    personName: person_name,
    modelName: model_name ?? row.model_id,
  }));
}

/** Sets the wish to cancel once; an open run only. */
export async function requestCancel(tx: Tx, outbox: Outbox, runId: string, at: number): Promise<boolean> {
  const row = await tx
    .updateTable("run")
    .set((e) => ({ cancel_requested_at: at, seq: e("seq", "+", 1) }))
    .where("id", "=", runId)
    .where("cancel_requested_at", "is", null)
    .where("finished_at", "is", null)
    .returning(["seq", "project_id", "visibility", "user_id"])
    .executeTakeFirst();
  if (!row) return false;
  await insertEvents(tx, outbox, runId, row.seq - 1, [{ type: "cancel-requested", payload: {} }], at);
  outbox.changes.push({ projectId: row.project_id, userId: onlyFor(row), kind: "run", id: runId, at });
  return true;
}

export async function getRun(db: Reader, runId: string): Promise<OwnedRun | undefined> {
  const [row] = await findRow(db, { id: runId });
  return row && toOwnedRun(row);
}

/** The same, for a unit that decides by its state: nobody else moves it before the unit ends. */
export async function lockRun(store: Store, tx: Tx, runId: string): Promise<OwnedRun | undefined> {
  const [row] = await lockRow(tx, { id: runId }, store);
  return row && toOwnedRun(row);
}

/** Whether somebody wants it to stop, as it is written down now. */
export async function isCancelRequested(db: Reader, runId: string): Promise<boolean> {
  const [row] = await findWish(db, { id: runId });
  return row !== undefined && row.cancel_requested_at !== null;
}

export async function getRunsByIds(db: Reader, ids: readonly string[]): Promise<Run[]> {
  if (ids.length === 0) return [];
  return (await db.selectFrom("run").selectAll().where("id", "in", ids).orderBy("id").execute()).map(toRun);
}

export async function getRunsOfBatches(db: Reader, batchIds: readonly string[]): Promise<Run[]> {
  if (batchIds.length === 0) return [];
  return (await db.selectFrom("run").selectAll().where("batch_id", "in", batchIds).orderBy("id").execute()).map(toRun);
}

export async function findByIdempotencyKey(db: Reader, scope: string, key: string): Promise<OwnedRun | undefined> {
  const row = await db
    .selectFrom("run")
    .selectAll()
    .where("idempotency_scope", "=", scope)
    .where("idempotency_key", "=", key)
    .executeTakeFirst();
  return row && toOwnedRun(row);
}

/** Runs that are found by some word of this scope, oldest first. */
export async function listByIdempotencyScope(db: Reader, scope: string): Promise<OwnedRun[]> {
  const rows = await db
    .selectFrom("run")
    .selectAll()
    .where("idempotency_scope", "=", scope)
    .where("idempotency_key", "is not", null)
    .orderBy("id")
    .execute();
  return rows.map(toOwnedRun);
}

/** From now on the request may come anew: the run keeps everything but the word that it was found by. */
export async function releaseIdempotencyKey(tx: Tx, runId: string): Promise<void> {
  await tx.updateTable("run").set({ idempotency_scope: null, idempotency_key: null }).where("id", "=", runId).execute();
}

export type RunFilter = {
  projectId: string;
  userId: string;
  state: "open" | "waiting" | "unknown" | "ended" | "all";
  task?: Task;
  cursor?: string;
  limit: number;
};

/** Runs of a project, newest first, without those of conversations that are someone else's alone. */
export async function listRuns(db: Reader, filter: RunFilter): Promise<{ runs: Run[]; next: string | null }> {
  let query = db
    .selectFrom("run")
    .selectAll()
    .where("project_id", "=", filter.projectId)
    .where((e) => e.or([e("visibility", "=", "project"), e("user_id", "=", filter.userId)]));
  if (filter.state === "open" || filter.state === "unknown") query = query.where("state", "in", literals(openStates));
  if (filter.state === "unknown") query = query.where("state", "=", sql.lit("unknown"));
  if (filter.state === "waiting") query = query.where("state", "=", sql.lit("queued")).where("waiting_for", "is not", null);
  if (filter.state === "ended") query = query.where("finished_at", "is not", null);
  if (filter.task) query = query.where("task", "=", filter.task);
  if (filter.cursor) query = query.where("id", "<", fromCursor(filter.cursor, ["string"])[0] as string);
  const rows = await query
    .orderBy("id", "desc")
    .limit(filter.limit + 1)
    .execute();
  const shown = page(rows, filter.limit, (row) => [row.id]);
  return { runs: shown.rows.map(toRun), next: shown.next };
}

/** A run's events after a seq, in order. */
export async function listRunEvents(db: Reader, runId: string, after: number, limit: number): Promise<RunEvent[]> {
  const rows = await eventsAfter(db, { runId, after, limit });
  return rows.map((row) => ({ runId: row.run_id, seq: row.seq, type: row.type, payload: fromJson(row.payload), at: row.at }));
}
