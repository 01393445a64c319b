import { sql } from "kysely";
import type { Run, RunEvent } from "#contract/entities.ts";
import type { RunEventPayloads } from "#contract/events.ts";
import type { Task } from "#contract/tasks.ts";
import type { WaitingReason } from "#contract/waiting-reasons.ts";
import { type Circuit, whyNotReady } from "#domain/runs/circuit.ts";
import { openStates } from "#domain/runs/run-machine.ts";
import { fromCursor, page } from "../database/cursor.ts";
import { isOneOf } from "../database/is-one-of.ts";
import { fromJson, toJson } from "../database/json.ts";
import { literals } from "../database/literals.ts";
import { prepared } from "../database/prepared.ts";
import type { Reader } from "../database/store.ts";
import { listAllCircuits } from "../models/circuits.ts";
import { type OwnedRun, type PassedOver, toOwnedRun, toRun } from "./run-rows.ts";

const pruning = prepared((db, { runId }: { runId: string }) =>
  db.selectFrom("run").select(["pruned_at", "seq"]).where("id", "=", runId),
);

/**
 * Whether a run's events are pruned down to a snapshot, and its last seq. Every reader of a live
 * run checks this first.
 */
export async function getPruning(
  db: Reader,
  runId: string,
): Promise<{ isPruned: boolean; lastSeq: number } | undefined> {
  const [row] = await pruning(db, { runId });
  return row && { isPruned: row.pruned_at !== null, lastSeq: row.seq };
}

const eventsAfter = prepared(
  (db, { runId, after, limit }: { runId: string; after: number; limit: number }) =>
    db
      .selectFrom("run_event")
      .select(["seq", "type", "payload", "at"])
      .where("run_id", "=", runId)
      .where("seq", ">", after)
      .orderBy("seq")
      .limit(limit),
);

/** Lists the runs made from a message, newest first, except other people's private ones. */
export async function listRunsOfMessage(
  db: Reader,
  of: { messageId: string; userId: string; task: Task; limit: number },
): Promise<Run[]> {
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

/** Lists the recorded provider log lines of the run's current job. */
export async function listJobLog(
  db: Reader,
  runId: string,
): Promise<RunEventPayloads["log"]["lines"]> {
  const rows = await db
    .selectFrom("run_event")
    .select(["type", "payload"])
    .where("run_id", "=", runId)
    .where("type", "in", ["log", "run-submitted"])
    .orderBy("seq")
    .execute();
  const began = rows.findLastIndex(({ type }) => type === "run-submitted");
  return rows.slice(began + 1).flatMap(({ payload }) => {
    const { lines, own } = fromJson<RunEventPayloads["log"]>(payload);
    return own ? [] : lines;
  });
}

/**
 * Lists the models behind its alias that a run skipped, in the order in which they were passed
 * over.
 */
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

/**
 * Returns a run as it was when an attempt was sent. Behind an alias, the attempt may have gone to
 * another model, at other prices.
 */
export async function asSent(db: Reader, run: OwnedRun, attempt: number): Promise<OwnedRun> {
  const passedOver = run.alias === null ? [] : await listPassedOver(db, run.id);
  const to = passedOver.find((left) => left.attempt !== undefined && left.attempt >= attempt);
  if (!to) return run;
  return {
    ...run,
    connectionId: to.connectionId,
    modelId: to.modelId,
    prices: to.prices ?? [],
  };
}

/**
 * Lists up to 100 queued runs, oldest first, that have a fallback model and whose own model is
 * unavailable, with the reason. `last` is the cursor for the next page.
 */
export async function listWaitingForService(
  db: Reader,
  { now, after }: { now: number; after: string },
): Promise<{ waiting: { run: OwnedRun; whyNot: string }[]; last: string | undefined }> {
  const rows = await db
    .selectFrom("run")
    .innerJoin("connection", "connection.id", "run.connection_id")
    .selectAll("run")
    .select("connection.status")
    .where("run.state", "=", sql.lit("queued"))
    .where("run.next_models", "is not", null)
    .where("run.id", ">", after)
    .where("run.waiting_for", "is", null)
    .where((e) =>
      e.or([
        e("connection.status", "in", ["disabled", "failing"]),
        e.exists(
          e
            .selectFrom("circuit")
            .select("kind")
            .whereRef("circuit.connection_id", "=", "run.connection_id"),
        ),
      ]),
    )
    .orderBy("run.id")
    .limit(100)
    .execute();
  const circuits = rows.length > 0 ? await listAllCircuits(db) : new Map<string, Circuit[]>();
  const waiting = rows.flatMap(({ status, ...row }) => {
    const whyNot = whyNotReady(status, circuits.get(row.connection_id) ?? [], row.model_id, now);
    return whyNot === null ? [] : [{ run: toOwnedRun(row), whyNot }];
  });
  return { waiting, last: rows.at(-1)?.id };
}

/**
 * Lists runs of a project that need a person's approval, oldest first, except other people's
 * private ones.
 */
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

/** A run that needs budget approval, with the facts that its approver may see. */
export type WaitingRun = {
  run: OwnedRun;
  projectName: string;
  personName: string;
  modelName: string;
};

/**
 * The budgets that a person decides on: those set by admins, and those of projects the person
 * manages.
 */
export type Decider = { isAdmin: boolean; projectIds: readonly string[] };

const waitingRuns = (db: Reader, by: Decider | undefined) =>
  db
    .selectFrom("run")
    .where("run.state", "=", sql.lit("queued"))
    .where("run.waiting_for", "in", literals(["manager", "admin"]))
    .$if(by !== undefined, (query) =>
      query.where((e) =>
        e.or([
          e.and([
            e("run.waiting_for", "=", sql.lit("manager")),
            isOneOf(db, "run.project_id", toJson(by?.projectIds ?? [])),
          ]),
          ...(by?.isAdmin ? [e("run.waiting_for", "=", sql.lit("admin"))] : []),
        ]),
      ),
    );

/** Lists runs that need a budget decision, by one person or by anyone, oldest first. */
export async function listWaitingRuns(
  db: Reader,
  of: { after: string; limit: number; by?: Decider },
): Promise<WaitingRun[]> {
  const rows = await waitingRuns(db, of.by)
    .innerJoin("project", "project.id", "run.project_id")
    .innerJoin("user", "user.id", "run.user_id")
    .leftJoin("model", (join) =>
      join
        .onRef("model.connection_id", "=", "run.connection_id")
        .onRef("model.model_id", "=", "run.model_id"),
    )
    .selectAll("run")
    .select([
      "project.name as project_name",
      "user.name as person_name",
      "model.name as model_name",
    ])
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

export async function countWaitingRuns(db: Reader, by: Decider): Promise<number> {
  const { n } = await waitingRuns(db, by)
    .select((e) => e.fn.countAll<number>().as("n"))
    .executeTakeFirstOrThrow();
  return Number(n);
}

const runsByIds = prepared((db, { ids }: { ids: string }) =>
  db
    .selectFrom("run")
    .selectAll()
    .where(isOneOf(db, "id", ids))
    .orderBy("id"),
);

/** Ordered by id. */
export async function getRunsByIds(db: Reader, ids: readonly string[]): Promise<Run[]> {
  if (ids.length === 0) return [];
  return (await runsByIds(db, { ids: toJson(ids) })).map(toRun);
}

type OwnAnswers = { ids: string; userId: string; projectId: string };
const ownAnswers = (db: Reader, { ids, userId, projectId }: OwnAnswers) =>
  db
    .selectFrom("run")
    .where(isOneOf(db, "id", ids))
    .where("user_id", "=", userId)
    .where("project_id", "=", projectId)
    .where("task", "=", "chat")
    .where("result", "is not", null);
const answersByIds = prepared((db, given: OwnAnswers) =>
  ownAnswers(db, given).select(["id", "connection_id", "result"]),
);
const bytesOfAnswers = prepared((db, given: OwnAnswers) =>
  ownAnswers(db, given).select((e) =>
    e.fn.sum<number | string | null>(e.fn<number>("octet_length", ["result"])).as("bytes"),
  ),
);

/** An answer whose result is JSON, because several of them take long to parse. */
export type WrittenAnswer = { id: string; connectionId: string; result: string };

/**
 * Returns a person's own answers in a project. Other people's answers are left out.
 * @returns undefined if their results have more bytes than this
 */
export async function getAnswers(
  db: Reader,
  {
    ids,
    maxBytes,
    ...owner
  }: { ids: readonly string[]; userId: string; projectId: string; maxBytes: number },
): Promise<WrittenAnswer[] | undefined> {
  if (ids.length === 0) return [];
  const given = { ids: toJson(ids), ...owner };
  const [sum] = await bytesOfAnswers(db, given);
  if (Number(sum?.bytes ?? 0) > maxBytes) return undefined;
  const rows = await answersByIds(db, given);
  return rows.map(({ id, connection_id, result }) => ({
    id,
    connectionId: connection_id,
    result: result ?? "null",
  }));
}

const runsOfBatches = prepared((db, { batchIds }: { batchIds: string }) =>
  db
    .selectFrom("run")
    .selectAll()
    .where(isOneOf(db, "batch_id", batchIds))
    .orderBy("id"),
);

export async function getRunsOfBatches(db: Reader, batchIds: readonly string[]): Promise<Run[]> {
  if (batchIds.length === 0) return [];
  return (await runsOfBatches(db, { batchIds: toJson(batchIds) })).map(toRun);
}

export async function findByIdempotencyKey(
  db: Reader,
  scope: string,
  key: string,
): Promise<OwnedRun | undefined> {
  const row = await db
    .selectFrom("run")
    .selectAll()
    .where("idempotency_scope", "=", scope)
    .where("idempotency_key", "=", key)
    .executeTakeFirst();
  return row && toOwnedRun(row);
}

/** A run that matches a repeated request, with the times that bound the match. */
export type NamedRun = Pick<OwnedRun, "id" | "state" | "createdAt" | "finishedAt"> & {
  key: string;
};

/**
 * Runs in this scope that started or ended since `since`, are still active, or match `keys`; oldest
 * first.
 */
export async function listByIdempotencyScope(
  db: Reader,
  { scope, since, keys }: { scope: string; since: number; keys: readonly string[] },
): Promise<NamedRun[]> {
  const rows = await db
    .selectFrom("run")
    .select([
      "id",
      "state",
      "created_at as createdAt",
      "finished_at as finishedAt",
      "idempotency_key as key",
    ])
    .where("idempotency_scope", "=", scope)
    .where("idempotency_key", "is not", null)
    .where((e) =>
      e.or([
        e("created_at", ">=", since),
        e("finished_at", ">=", since),
        e.and([e("finished_at", "is", null), e("state", "<>", sql.lit("unconfirmed"))]),
        ...(keys.length > 0 ? [e("idempotency_key", "in", keys)] : []),
      ]),
    )
    .orderBy("id")
    .execute();
  return rows.map(({ state, key, ...times }) => ({
    ...times,
    state: state as NamedRun["state"],
    key: key ?? "",
  }));
}

export type RunFilter = {
  projectId: string;
  userId: string;
  state:
    | "open"
    | "waiting"
    | "unconfirmed"
    | "ended"
    | "all"
    | "succeeded"
    | "failed"
    | "cancelled";
  task?: Task;
  /** The id of the person who started them. */
  createdBy?: string;
  connectionId?: string;
  modelId?: string;
  /** Words of the prompt, the conversation, the model, the task or the error. */
  q?: string;
  cursor?: string;
  limit: number;
};

/** Selects the runs of a project that the person may see and that match the filter. */
export function narrowRuns(db: Reader, filter: Omit<RunFilter, "q" | "limit">) {
  const { state } = filter;
  let query = db
    .selectFrom("run")
    .where("project_id", "=", filter.projectId)
    .where((e) => e.or([e("visibility", "=", "project"), e("user_id", "=", filter.userId)]));
  if (state === "open" || state === "unconfirmed")
    query = query.where("state", "in", literals(openStates));
  if (state === "unconfirmed") query = query.where("state", "=", sql.lit("unconfirmed"));
  if (state === "waiting")
    query = query.where("state", "=", sql.lit("queued")).where("waiting_for", "is not", null);
  if (state === "ended") query = query.where("finished_at", "is not", null);
  // Uses the index of ended runs.
  if (state === "succeeded" || state === "failed" || state === "cancelled")
    query = query.where("finished_at", "is not", null).where("state", "=", state);
  if (filter.task) query = query.where("task", "=", filter.task);
  if (filter.createdBy) query = query.where("user_id", "=", filter.createdBy);
  if (filter.connectionId) query = query.where("connection_id", "=", filter.connectionId);
  if (filter.modelId) query = query.where("model_id", "=", filter.modelId);
  if (filter.cursor)
    query = query.where("id", "<", fromCursor(filter.cursor, ["string"])[0] as string);
  return query;
}

/**
 * Lists runs of a project, newest first, except those of other people's private conversations. For
 * searches see search-runs.ts.
 */
export async function listRuns(
  db: Reader,
  filter: Omit<RunFilter, "q">,
): Promise<{ runs: Run[]; next: string | null }> {
  const rows = await narrowRuns(db, filter)
    .selectAll()
    .orderBy("id", "desc")
    .limit(filter.limit + 1)
    .execute();
  const shown = page(rows, filter.limit, (row) => [row.id]);
  return { runs: shown.rows.map(toRun), next: shown.next };
}

/** Lists a run's events after a seq, in order. */
export async function listRunEvents(
  db: Reader,
  runId: string,
  after: number,
  limit: number,
): Promise<RunEvent[]> {
  const rows = await eventsAfter(db, { runId, after, limit });
  return rows.map(({ payload, ...row }) => ({ runId, ...row, payload: fromJson(payload) }));
}
