import { type SelectQueryBuilder, sql } from "kysely";
import { longestWaitMs } from "#domain/backoff.ts";
import { stateOfCircuit, whileProbing } from "#domain/circuit.ts";
import { activeStates } from "#domain/run-machine.ts";
import { insertAttempt } from "./attempts.ts";
import { literals } from "./literals.ts";
import type { Outbox } from "./outbox.ts";
import type { OwnedRun } from "./run-rows.ts";
import { moveRun } from "./runs.ts";
import type { Database, RunRow } from "./schema.ts";
import type { Reader, Store, Tx } from "./store.ts";

/** Connections that have something to claim now; `nextAt` is when the next run that waits for its time may be. */
export async function connectionsWithWork(db: Reader, now: number): Promise<{ connectionIds: string[]; nextAt: number | null }> {
  const rows = await db
    .selectFrom("run")
    .select((e) => ["connection_id", e.fn.min<number | null>("not_before").as("not_before")])
    .where("state", "=", sql.lit("queued"))
    .where("waiting_for", "is", null)
    .groupBy("connection_id")
    .execute();
  const later = rows.map((row) => row.not_before).filter((at): at is number => at !== null && at > now);
  return { connectionIds: rows.map((row) => row.connection_id), nextAt: later.length > 0 ? Math.min(...later) : null };
}

/** A run in its new owner's hands, with the token of its attempt. `isProbe`: it tries a service that has failed, alone. */
export type ClaimedRun = OwnedRun & { clientToken: string; isProbe: boolean };
type Claim = { connectionId: string; workerId: string; clientToken(): string; at: number };

/**
 * Claims the next runs of a connection, at most so many, each with its attempt, in the caller's unit: they are `submitting`
 * and owned when the unit commits, and not before anything is sent. People take turns: who has least under way goes first,
 * then who waits longest. Several in one unit, for each waits behind all other units before its answer can begin.
 * @returns fewer than `most` when every place of the connection is taken, its service fails, or nothing waits any more
 */
export async function claimRuns(store: Store, tx: Tx, outbox: Outbox, claim: Claim & { most: number }): Promise<ClaimedRun[]> {
  const connection = await store
    .forUpdate(
      tx.selectFrom("connection").select(["concurrency", "status", "failures", "paused_until"]).where("id", "=", claim.connectionId),
    )
    .executeTakeFirst();
  if (!connection || connection.status === "disabled") return [];
  const circuit = { failures: connection.failures, pausedUntil: connection.paused_until };
  const state = stateOfCircuit(circuit, claim.at);
  if (state === "open") return [];
  const active = await tx
    .selectFrom("run")
    .select((e) => ["user_id", e.fn.countAll<number>().as("runs")])
    .where("connection_id", "=", claim.connectionId)
    .where("state", "in", literals(activeStates))
    // What only waits for its files is over at the provider, and may wait for days.
    .where("state", "!=", sql.lit("storing"))
    .groupBy("user_id")
    .execute();
  const taken = active.reduce((sum, row) => sum + Number(row.runs), 0);
  const most = Math.min(state === "half-open" ? 1 : claim.most, connection.concurrency - taken);
  if (most <= 0) return [];
  const claimed: ClaimedRun[] = [];
  for (const next of await nextRuns(tx, claim, most, new Map(active.map((row) => [row.user_id, Number(row.runs)])))) {
    const run = await claimOne(store, tx, outbox, claim, next);
    if (run) claimed.push({ ...run, isProbe: state === "half-open" });
  }
  if (state === "half-open" && claimed.length > 0) {
    const { pausedUntil } = whileProbing(circuit, claim.at);
    await tx.updateTable("connection").set({ paused_until: pausedUntil }).where("id", "=", claim.connectionId).execute();
  }
  return claimed;
}

type Waiting = Pick<RunRow, "id" | "attempts" | "fence" | "request_hash" | "started_at">;

async function claimOne(
  store: Store,
  tx: Tx,
  outbox: Outbox,
  claim: Claim,
  next: Waiting,
): Promise<Omit<ClaimedRun, "isProbe"> | undefined> {
  const number = next.attempts + 1;
  // The run first: an attempt's foreign key takes a weaker lock on it, and two that have that one and want more wait for each other.
  const run = await moveRun(store, tx, outbox, {
    runId: next.id,
    step: { type: "claimed" },
    // Meanwhile it may have gone to another model, or begun to wait for a person's word.
    expect: { connectionId: claim.connectionId, fence: next.fence },
    events: [{ type: "run-started", payload: { attempt: number } }],
    set: { worker_id: claim.workerId, fence: next.fence + 1, attempts: number, started_at: next.started_at ?? claim.at, not_before: null },
    at: claim.at,
  });
  if (!run) return undefined;
  const clientToken = claim.clientToken();
  await insertAttempt(tx, { runId: next.id, number, requestHash: next.request_hash, clientToken });
  return { ...run, clientToken };
}

/**
 * Claims a run for whoever admits it, in the same unit: it has its owner from its first moment, and nobody else ever sees it
 * queued. Of a live session, whose person waits for it and whose socket is here.
 */
export function claimAdmitted(
  store: Store,
  tx: Tx,
  outbox: Outbox,
  run: { id: string; requestHash: string },
  claim: Claim,
): Promise<Omit<ClaimedRun, "isProbe"> | undefined> {
  return claimOne(store, tx, outbox, claim, { id: run.id, attempts: 0, fence: 0, request_hash: run.requestHash, started_at: null });
}

/** Live sessions of one person that are open now. */
export async function countSessions(tx: Tx, userId: string): Promise<number> {
  const row = await tx
    .selectFrom("run")
    .select((e) => e.fn.countAll<number>().as("open"))
    .where("user_id", "=", userId)
    .where("task", "=", sql.lit("live"))
    .where("finished_at", "is", null)
    .executeTakeFirst();
  return Number(row?.open ?? 0);
}

/** Whether a live session is open on a connection, on whichever server. */
export async function isDrawnOn(db: Reader, connectionId: string): Promise<boolean> {
  const row = await db
    .selectFrom("run")
    .select("id")
    .where("connection_id", "=", connectionId)
    .where("task", "=", sql.lit("live"))
    .where("finished_at", "is", null)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Whose turn it is, and which of their runs, so many times over. `activeOf` counts what each has under way. */
async function nextRuns(tx: Tx, claim: Claim, most: number, activeOf: Map<string, number>): Promise<Waiting[]> {
  const ready = tx
    .selectFrom("run")
    .where("connection_id", "=", claim.connectionId)
    .where("state", "=", sql.lit("queued"))
    .where("waiting_for", "is", null)
    .where((e) => e.or([e("not_before", "is", null), e("not_before", "<=", claim.at), e("not_before", ">", claim.at + longestWaitMs)]));
  const people = await ready
    // What a suspended person asked for waits until somebody lets them back in, or cancels it.
    .where("user_id", "not in", tx.selectFrom("user").select("id").where("status", "=", sql.lit("suspended")))
    .select((e) => ["user_id", e.fn.min<string>("id").as("oldest")])
    .groupBy("user_id")
    .execute();
  const waitingOf = new Map<string, Waiting[]>();
  const chosen: Waiting[] = [];
  while (chosen.length < most && people.length > 0) {
    people.sort((a, b) => (activeOf.get(a.user_id) ?? 0) - (activeOf.get(b.user_id) ?? 0) || (a.oldest < b.oldest ? -1 : 1));
    const person = people[0]!;
    const waiting = waitingOf.get(person.user_id) ?? (await waitingRuns(ready, person.user_id, most));
    waitingOf.set(person.user_id, waiting);
    const next = waiting.shift();
    if (next) {
      chosen.push(next);
      activeOf.set(person.user_id, (activeOf.get(person.user_id) ?? 0) + 1);
    }
    if (waiting.length === 0) people.shift();
    else person.oldest = waiting.map((run) => run.id).sort()[0]!;
  }
  return chosen;
}

const waitingRuns = (ready: SelectQueryBuilder<Database, "run", object>, userId: string, most: number): Promise<Waiting[]> =>
  ready
    .select(["id", "attempts", "fence", "request_hash", "started_at"])
    .where("user_id", "=", userId)
    .orderBy("priority", "desc")
    .orderBy("id")
    .limit(most)
    .execute();
