import { activeStates } from "#domain/run-machine.ts";
import type { Outbox } from "./outbox.ts";
import { moveRun, type OwnedRun } from "./runs.ts";
import type { Reader, Store, Tx } from "./store.ts";

/** Connections that have something to claim now; `nextAt` is when the next run that waits for its time may be. */
export async function connectionsWithWork(db: Reader, now: number): Promise<{ connectionIds: string[]; nextAt: number | null }> {
  const rows = await db
    .selectFrom("run")
    .select((e) => ["connection_id", e.fn.min<number | null>("not_before").as("not_before")])
    .where("state", "=", "queued")
    .where("waiting_for", "is", null)
    .groupBy("connection_id")
    .execute();
  const later = rows.map((row) => row.not_before).filter((at): at is number => at !== null && at > now);
  return { connectionIds: rows.map((row) => row.connection_id), nextAt: later.length > 0 ? Math.min(...later) : null };
}

/**
 * Claims the next run of a connection, with its attempt, in the caller's unit: the run is `submitting` and owned when the
 * unit commits, and not before anything is sent. People take turns: who has least under way goes first, then who waits longest.
 * @returns undefined when every place of the connection is taken or nothing waits
 */
export async function claimRun(
  store: Store,
  tx: Tx,
  outbox: Outbox,
  claim: { connectionId: string; workerId: string; clientToken: string; at: number },
): Promise<OwnedRun | undefined> {
  const connection = await store
    .forUpdate(tx.selectFrom("connection").select(["concurrency", "status"]).where("id", "=", claim.connectionId))
    .executeTakeFirst();
  if (!connection || connection.status === "disabled") return undefined;
  const active = await tx
    .selectFrom("run")
    .select((e) => ["user_id", e.fn.countAll<number>().as("runs")])
    .where("connection_id", "=", claim.connectionId)
    .where("state", "in", [...activeStates])
    .groupBy("user_id")
    .execute();
  const taken = active.reduce((sum, row) => sum + Number(row.runs), 0);
  if (taken >= connection.concurrency) return undefined;
  const next = await nextRun(tx, claim, new Map(active.map((row) => [row.user_id, Number(row.runs)])));
  if (!next) return undefined;
  const number = next.attempts + 1;
  const claimed = await moveRun(store, tx, outbox, {
    runId: next.id,
    step: { type: "claimed" },
    events: [{ type: "run-started", payload: { attempt: number } }],
    set: { worker_id: claim.workerId, fence: next.fence + 1, attempts: number, started_at: next.started_at ?? claim.at, not_before: null },
    at: claim.at,
  });
  // Cancelled since it was read: it has no attempt.
  if (!claimed) return undefined;
  await tx
    .insertInto("attempt")
    .values({
      run_id: next.id,
      number,
      request_hash: next.request_hash,
      client_token: claim.clientToken,
      provider_request_id: null,
      provider_urls: null,
      state: "committed",
      bytes_written: null,
      http_status: null,
      sent_at: null,
      accepted_at: null,
      ended_at: null,
    })
    .execute();
  return claimed;
}

async function nextRun(tx: Tx, claim: { connectionId: string; at: number }, activeOf: ReadonlyMap<string, number>) {
  const ready = tx
    .selectFrom("run")
    .where("connection_id", "=", claim.connectionId)
    .where("state", "=", "queued")
    .where("waiting_for", "is", null)
    .where((e) => e.or([e("not_before", "is", null), e("not_before", "<=", claim.at)]));
  const people = await ready
    .select((e) => ["user_id", e.fn.min<string>("id").as("oldest")])
    .groupBy("user_id")
    .execute();
  const person = people.sort(
    (a, b) => (activeOf.get(a.user_id) ?? 0) - (activeOf.get(b.user_id) ?? 0) || (a.oldest < b.oldest ? -1 : 1),
  )[0];
  if (!person) return undefined;
  return ready
    .select(["id", "attempts", "fence", "request_hash", "started_at"])
    .where("user_id", "=", person.user_id)
    .orderBy("priority", "desc")
    .orderBy("id")
    .limit(1)
    .executeTakeFirst();
}
