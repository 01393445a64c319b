import type { Selectable } from "kysely";
import type { Run, RunEvent, RunExpansion, RunState, RunWarning } from "#contract/entities.ts";
import type { NewRunEvent } from "#contract/events.ts";
import type { JsonObject } from "#contract/json.ts";
import type { Task } from "#contract/tasks.ts";
import type { WaitingReason } from "#contract/waiting-reasons.ts";
import { isFinal, nextState, type RunStep } from "#domain/runs/run-machine.ts";
import { toJson, toJsonOrNull } from "../database/json.ts";
import { prepared, preparedRows } from "../database/prepared.ts";
import type { RunEventRow, RunRow } from "../database/schema.ts";
import type { Reader, Tx } from "../database/store.ts";
import { hookOfRun } from "../webhooks/hooks.ts";
import { insertAttempt } from "./attempts.ts";
import {
  type AskedOfAlias,
  type OwnColumns,
  type OwnedRun,
  toOwnedRun,
  toRun,
  withColumns,
} from "./run-rows.ts";
import type { Unit } from "./unit.ts";

/** Thrown in a unit whose worker no longer owns the run; the unit writes nothing. */
export class Fenced extends Error {
  override readonly name = "Fenced";
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
  expansion?: RunExpansion | null;
  priceSnapshot: unknown;
  heldMicros: number;
  /** Input fields that the model lacks, when it isn't the model that was requested. */
  warnings?: RunWarning[];
  alias?: AskedOfAlias | null;
  /** The approval that the run waits for; it can't be claimed before. */
  waitingFor: WaitingReason | null;
  at: number;
};

const insertRow = prepared((db, row: RunRow) => db.insertInto("run").values(row));
const insertEventRows = preparedRows((db, rows: RunEventRow[]) =>
  db.insertInto("run_event").values(rows),
);
const lockRow = prepared((db, { id }: { id: string }) =>
  db.selectFrom("run").selectAll().where("id", "=", id).forNoKeyUpdate(),
);
const updateRow = prepared((db, { runId, ...set }: Partial<RunRow> & { runId: string }) =>
  db.updateTable("run").set(set).where("id", "=", runId),
);
const advanceRow = prepared(
  (
    db,
    {
      runId,
      ownFence,
      places,
      ...set
    }: Partial<RunRow> & { runId: string; ownFence: number; places: number },
  ) =>
    db
      .updateTable("run")
      .set((e) => ({ ...set, seq: e("seq", "+", places) }))
      .where("id", "=", runId)
      .where("fence", "=", ownFence)
      .where("finished_at", "is", null)
      .returning("seq"),
);
/**
 * Returns the columns that others, or a step in another state, may have changed since the owner
 * read the run.
 */
const moveOwnRow = prepared(
  (
    db,
    {
      runId,
      ownFence,
      was,
      places,
      ...set
    }: Partial<RunRow> & { runId: string; ownFence: number; was: RunState; places: number },
  ) =>
    db
      .updateTable("run")
      .set((e) => ({ ...set, seq: e("seq", "+", places) }))
      .where("id", "=", runId)
      .where("fence", "=", ownFence)
      .where("state", "=", was)
      .returning([
        "seq",
        "visibility",
        "cancel_requested_at",
        "idempotency_scope",
        "idempotency_key",
        "worker_id",
        "held_micros",
      ]),
);
const findRow = prepared((db, { id }: { id: string }) =>
  db.selectFrom("run").selectAll().where("id", "=", id),
);
const findStanding = prepared((db, { id }: { id: string }) =>
  db.selectFrom("run").select(["state", "seq", "attempts"]).where("id", "=", id),
);
const findWish = prepared((db, { id }: { id: string }) =>
  db.selectFrom("run").select("cancel_requested_at").where("id", "=", id),
);

/**
 * Inserts the run's row and its first events; once they are committed, the run can't be lost.
 * @param owner claims the run at admission, with its first attempt. Without an owner it waits in
 *   the queue.
 */
export async function insertRun(
  unit: Unit,
  run: NewRun,
  owner?: { workerId: string; clientToken: string },
): Promise<Run> {
  const events: NewRunEvent[] = [
    ...(run.alias?.passedOver ?? []).map(
      (payload) => ({ type: "model-passed-over", payload }) as const,
    ),
    { type: "run-queued", payload: run.waitingFor ? { waitingFor: run.waitingFor } : {} },
    ...(owner ? [{ type: "run-started", payload: { attempt: 1 } } as const] : []),
  ];
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
    state: owner ? "submitting" : "queued",
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
    placeless: 0,
    probes: 0,
    price_snapshot: toJsonOrNull(run.priceSnapshot),
    usage: null,
    result: null,
    warnings: toJson(run.warnings ?? []),
    error: null,
    worker_id: owner?.workerId ?? null,
    fence: owner ? 1 : 0,
    seq: events.length,
    attempts: owner ? 1 : 0,
    created_at: run.at,
    started_at: owner ? run.at : null,
    first_output_at: null,
    finished_at: null,
    pruned_at: null,
    imported: null,
    alias: run.alias?.name ?? null,
    next_models: toJsonOrNull(run.alias && run.alias.next.length > 0 ? run.alias.next : null),
    asked: toJsonOrNull(run.alias?.asked ?? null),
    expansion: toJsonOrNull(run.expansion ?? null),
  };
  await insertRow(unit.tx, row);
  await insertEvents(unit, run.id, 0, events);
  const inserted = toRun(row);
  notifyRun(unit, inserted);
  if (owner) {
    const { requestHash } = run;
    const { clientToken } = owner;
    await insertAttempt(unit.tx, { runId: run.id, number: 1, requestHash, clientToken });
    unit.outbox.claimed.push({ ...toOwnedRun(row), clientToken, isProbe: false });
  } else if (run.waitingFor === null) unit.outbox.queued.add(run.connectionId);
  return inserted;
}

export async function insertEvents(
  unit: Unit,
  runId: string,
  seq: number,
  events: readonly NewRunEvent[],
): Promise<void> {
  if (events.length === 0) return;
  const rows = events.map(
    (event, i): RunEvent => ({
      runId,
      seq: seq + i + 1,
      type: event.type,
      payload: event.payload,
      at: unit.at,
    }),
  );
  await insertEventRows(
    unit.tx,
    rows.map(({ seq, type, payload, at }) => ({
      run_id: runId,
      seq,
      type,
      payload: toJson(payload),
      at,
    })),
  );
  unit.outbox.events.push(...rows);
}

/** Notifies the watchers of the project, or only the author of a private run. */
export function notifyRun(
  { outbox, at }: Unit,
  run: { id: string; projectId: string; userId: string; visibility: string },
): void {
  const userId = run.visibility === "author" ? run.userId : null;
  outbox.changes.push({ projectId: run.projectId, userId, kind: "run", id: run.id, at });
}

export type RunChange = {
  runId: string;
  /** One step, or several taken atomically: the states in between are never visible. */
  step: RunStep | readonly RunStep[];
  /**
   * The owner's fence; omitted by callers that don't own the run (canceling a queued run, approving
   * one).
   */
  fence?: number;
  /**
   * The state a claim read without a lock. Nothing is claimed if the run has changed since or waits
   * for approval.
   */
  expect?: { connectionId: string; fence: number };
  events?: readonly NewRunEvent[];
} & (
  | { from?: undefined; set?: Partial<RunRow> }
  /**
   * The run as its owner last read it. If the run is still in that state under that fence, its row
   * isn't read again.
   */
  | { from: OwnedRun; set?: Partial<OwnColumns> }
);

/**
 * The only writer of `state`: moves a run along the state machine, with its events and its
 * project's notice.
 * @returns the run after the step; undefined when the machine doesn't allow the step or the run
 *   isn't as expected, and then nothing is written
 * @throws Fenced when another worker owns the run
 */
export async function moveRun(unit: Unit, change: RunChange): Promise<OwnedRun | undefined> {
  const moved = (await moveOwn(unit, change)) ?? (await lockAndMove(unit, change));
  if (!moved) return undefined;
  const events = change.events ?? [];
  await insertEvents(unit, moved.id, moved.lastSeq - events.length, events);
  notifyRun(unit, moved);
  const hook = hookOfRun(moved, events, unit.at);
  if (hook) unit.outbox.hooks.push(hook);
  return moved;
}

/**
 * @returns undefined when the run has changed since its owner read it, and then nothing is written
 */
async function moveOwn(unit: Unit, change: RunChange): Promise<OwnedRun | undefined> {
  if (!change.from) return undefined;
  const { from } = change;
  const set = stepOf(unit, from.state, change.step, change.set);
  if (!set) return undefined;
  const [now] = await moveOwnRow(unit.tx, {
    ...set,
    runId: from.id,
    ownFence: from.fence,
    was: from.state,
    places: change.events?.length ?? 0,
  });
  return now && withColumns(from, { ...set, ...now });
}

async function lockAndMove(unit: Unit, change: RunChange): Promise<OwnedRun | undefined> {
  const [row] = await lockRow(unit.tx, { id: change.runId });
  if (!row) return undefined;
  if (change.fence !== undefined && row.fence !== change.fence) throw new Fenced(change.runId);
  if (change.expect && !isAs(row, change.expect)) return undefined;
  const step = stepOf<Partial<RunRow>>(unit, row.state as RunState, change.step, change.set);
  if (!step) return undefined;
  const set = { ...step, seq: row.seq + (change.events?.length ?? 0) };
  await updateRow(unit.tx, { ...set, runId: row.id });
  return toOwnedRun({ ...row, ...set });
}

/**
 * Returns the columns a step writes; undefined when the machine doesn't allow it from this state.
 */
function stepOf<Columns extends Partial<OwnColumns>>(
  { at }: Unit,
  from: RunState,
  step: RunChange["step"],
  set: Columns | undefined,
) {
  let state: RunState | undefined = from;
  for (const one of [step].flat()) state = state && nextState(state, one);
  if (!state) return undefined;
  const ended = isFinal(state)
    ? { finished_at: at, worker_id: null, progress: null, queue_place: null }
    : {};
  return { ...set, ...ended, state };
}

const isAs = (
  row: Selectable<RunRow>,
  { connectionId, fence }: { connectionId: string; fence: number },
): boolean => row.connection_id === connectionId && row.fence === fence && row.waiting_for === null;

/**
 * Adds events to a run that this worker owns, without a change of state: deltas, progress, logs.
 * @throws Fenced when another worker owns the run or it has ended
 */
export async function appendRunEvents(
  unit: Unit,
  run: { id: string; fence: number },
  events: readonly NewRunEvent[],
  set: Partial<RunRow>,
): Promise<void> {
  const [updated] = await advanceRow(unit.tx, {
    ...set,
    runId: run.id,
    ownFence: run.fence,
    places: events.length,
  });
  if (!updated) throw new Fenced(run.id);
  await insertEvents(unit, run.id, updated.seq - events.length, events);
}

/** For events written under the run's lock by a caller that doesn't own the run. */
export const updateSeq = async (tx: Tx, runId: string, seq: number): Promise<void> =>
  void (await updateRow(tx, { runId, seq }));

/**
 * Makes a queued run wait for approval, or with `to` null makes it claimable.
 * @returns undefined when the run doesn't wait for `from` or is no longer queued, and then nothing
 *   is written
 */
export async function changeWaiting(
  unit: Unit,
  runId: string,
  change: { from: WaitingReason | null; to: WaitingReason | null },
): Promise<OwnedRun | undefined> {
  const [row] = await lockRow(unit.tx, { id: runId });
  if (row?.state !== "queued" || row.waiting_for !== change.from) return undefined;
  const set = { waiting_for: change.to, seq: row.seq + 1 };
  await updateRow(unit.tx, { ...set, runId });
  const payload = change.to === null ? {} : { waitingFor: change.to };
  await insertEvents(unit, runId, row.seq, [{ type: "run-queued", payload }]);
  const changed = toOwnedRun({ ...row, ...set });
  notifyRun(unit, changed);
  if (change.to === null) unit.outbox.queued.add(changed.connectionId);
  return changed;
}

/**
 * Moves a queued run to another model before it is claimed.
 * @returns false when the run is no longer queued for the model it was read with, and then nothing
 *   is written
 */
export async function redirectQueued(
  unit: Unit,
  run: OwnedRun,
  change: { set: Partial<RunRow>; events: readonly NewRunEvent[] },
): Promise<boolean> {
  const [row] = await lockRow(unit.tx, { id: run.id });
  if (
    row?.state !== "queued" ||
    row.fence !== run.fence ||
    row.connection_id !== run.connectionId ||
    row.model_id !== run.modelId
  )
    return false;
  await updateRow(unit.tx, { ...change.set, seq: row.seq + change.events.length, runId: row.id });
  await insertEvents(unit, row.id, row.seq, change.events);
  notifyRun(unit, toOwnedRun(row));
  return true;
}

/** Records the request to cancel, once, for an open run. */
export async function requestCancel(unit: Unit, runId: string): Promise<boolean> {
  const row = await unit.tx
    .updateTable("run")
    .set((e) => ({ cancel_requested_at: unit.at, seq: e("seq", "+", 1) }))
    .where("id", "=", runId)
    .where("cancel_requested_at", "is", null)
    .where("finished_at", "is", null)
    .returning(["seq", "project_id", "visibility", "user_id"])
    .executeTakeFirst();
  if (!row) return false;
  await insertEvents(unit, runId, row.seq - 1, [{ type: "cancel-requested", payload: {} }]);
  const { project_id: projectId, user_id: userId, visibility } = row;
  notifyRun(unit, { id: runId, projectId, userId, visibility });
  return true;
}

export async function getRun(db: Reader, runId: string): Promise<OwnedRun | undefined> {
  const [row] = await findRow(db, { id: runId });
  return row && toOwnedRun(row);
}

/** Returns a run's state, last seq and attempts, which is all that a follower polls. */
export async function getRunStanding(
  db: Reader,
  runId: string,
): Promise<Pick<OwnedRun, "state" | "lastSeq" | "attempts"> | undefined> {
  const [row] = await findStanding(db, { id: runId });
  return row && { state: row.state as RunState, lastSeq: row.seq, attempts: row.attempts };
}

/**
 * Locks and returns the run, for a unit that decides by its state: no other unit can move it before
 * this one ends.
 */
export async function lockRun(tx: Tx, runId: string): Promise<OwnedRun | undefined> {
  const [row] = await lockRow(tx, { id: runId });
  return row && toOwnedRun(row);
}

/** Whether cancellation has been requested, as recorded now. */
export async function isCancelRequested(db: Reader, runId: string): Promise<boolean> {
  const [row] = await findWish(db, { id: runId });
  return row !== undefined && row.cancel_requested_at !== null;
}

/** Drops the run's match key, so that an equal request is a new one. */
export async function releaseIdempotencyKey(tx: Tx, runId: string): Promise<void> {
  await tx
    .updateTable("run")
    .set({ idempotency_scope: null, idempotency_key: null })
    .where("id", "=", runId)
    .execute();
}

/**
 * Frees the slot of a run whose job can't be polled, without a change of state. Does nothing when
 * another worker owns the run.
 */
export async function releaseSlot(
  unit: Unit,
  { runId, fence }: { runId: string; fence: number },
): Promise<void> {
  const changed = await unit.tx
    .updateTable("run")
    .set({ placeless: 1 })
    .where("id", "=", runId)
    .where("fence", "=", fence)
    .returning("connection_id")
    .executeTakeFirst();
  if (changed) unit.outbox.queued.add(changed.connection_id);
}
