import { sql } from "kysely";
import type { RunWarning } from "#contract/entities.ts";
import { leftAloneWarning } from "#domain/runs/left-alone.ts";
import { activeStates } from "#domain/runs/run-machine.ts";
import { fromJson } from "../database/json.ts";
import { literals } from "../database/literals.ts";
import type { Reader } from "../database/store.ts";

const hourMs = 60 * 60_000;
const dayMs = 24 * hourMs;
/**
 * Above every limit of the engine: a synchronous picture has 10 minutes to answer, a tool or a
 * drawing session at most an hour.
 */
const longestSubmitMs = 2 * hourMs;
/** No provider documents a longer job. */
const longestJobMs = 7 * dayMs;
/**
 * Providers that state no expiry keep a result for an hour. The rest allows for a full or
 * unavailable storage.
 */
const longestSaveMs = 2 * dayMs;

/** A run that won't end by itself. `why` completes a sentence whose subject is the run. */
export type StuckRun = { runId: string; state: string; why: string };

/**
 * Finds runs that no server will move: active without a worker, or with a dead one while others
 * live; queued for a deleted connection; ended while their message still streams; abandoned by
 * their server; in a state for longer than any limit allows.
 */
export async function findStuck(db: Reader, now: number): Promise<StuckRun[]> {
  const workers = await db.selectFrom("worker").select("id").execute();
  const ids = workers.map(({ id }) => id);
  const active = await db
    .selectFrom("run")
    .select(["id", "state", "worker_id"])
    .where("state", "in", literals(activeStates))
    .orderBy("id")
    .execute();
  const stuck = active.flatMap(({ id, state, worker_id }) => {
    if (worker_id === null) return [{ runId: id, state, why: "no server is working on it" }];
    // When no server is running, the next start takes it over.
    return ids.length === 0 || ids.includes(worker_id)
      ? []
      : [
          {
            runId: id,
            state,
            why: "the server that worked on it is gone, and no other has taken it over",
          },
        ];
  });
  const leftAlone = await db
    .selectFrom("run")
    .innerJoin("run_event", (join) =>
      join.onRef("run_event.run_id", "=", "run.id").onRef("run_event.seq", "=", "run.seq"),
    )
    .select(["run.id", "run.state", "run_event.payload"])
    .where("run.state", "in", literals(activeStates))
    .where("run_event.type", "=", sql.lit("warning"))
    .execute();
  const homeless = await db
    .selectFrom("run")
    .leftJoin("connection", "connection.id", "run.connection_id")
    .select(["run.id", "run.state"])
    .where("run.state", "=", sql.lit("queued"))
    .where("connection.id", "is", null)
    .execute();
  const talking = await db
    .selectFrom("message")
    .innerJoin("run", "run.id", "message.run_id")
    .select(["run.id", "run.state"])
    .where("message.state", "=", "streaming")
    .where("run.finished_at", "is not", null)
    .execute();
  return [
    ...stuck,
    // Checks the run's last event: a later step would have added one.
    ...leftAlone
      .filter(({ payload }) => fromJson<RunWarning>(payload).type === leftAloneWarning.type)
      .map(({ id, state }) => ({
        runId: id,
        state,
        why: "its server could not write its end, and left it as it is; the server's log says why",
      })),
    ...homeless.map(({ id, state }) => ({
      runId: id,
      state,
      why: "it is queued for a connection that no longer exists",
    })),
    ...talking.map(({ id, state }) => ({
      runId: id,
      state,
      why: "it has ended, but its message still waits for it",
    })),
    ...(await findOverdue(db, now)),
  ];
}

/** Finds active runs that have been in their state for longer than any limit allows. */
async function findOverdue(db: Reader, now: number): Promise<StuckRun[]> {
  const rows = await db
    .selectFrom("run")
    .innerJoin("attempt", (join) =>
      join.onRef("attempt.run_id", "=", "run.id").onRef("attempt.number", "=", "run.attempts"),
    )
    .select(["run.id", "run.state", "attempt.sent_at", "attempt.accepted_at"])
    .select((e) => [
      e
        .selectFrom("run_event")
        .select((inner) => inner.fn.max("run_event.at").as("at"))
        .whereRef("run_event.run_id", "=", "run.id")
        .where("run_event.type", "=", "run-storing")
        .as("storing_since"),
      e
        .selectFrom("output")
        .select((inner) => inner.fn.max("output.expires_at").as("at"))
        .whereRef("output.run_id", "=", "run.id")
        .as("expires_at"),
    ])
    .where("run.state", "in", literals(activeStates))
    // An attempt sent within the shortest limit can't be overdue.
    .where("attempt.sent_at", "<", now - longestSubmitMs)
    .orderBy("run.id")
    .execute();
  return rows.flatMap(({ id, state, sent_at, accepted_at, storing_since, expires_at }) => {
    const why = overdueWords(
      state,
      {
        sentAt: Number(sent_at),
        acceptedAt: accepted_at,
        storingSince: storing_since,
        expiresAt: expires_at,
      },
      now,
    );
    return why === undefined ? [] : [{ runId: id, state, why }];
  });
}

type Times = {
  sentAt: number;
  acceptedAt: number | null;
  storingSince: number | null;
  expiresAt: number | null;
};

function overdueWords(
  state: string,
  { sentAt, acceptedAt, storingSince, expiresAt }: Times,
  now: number,
): string | undefined {
  const daysSince = (at: number): number => Math.floor((now - at) / dayMs);
  const jobAt = acceptedAt ?? sentAt;
  if (state === "submitting")
    return `was sent ${Math.floor((now - sentAt) / hourMs)} hours ago and has no answer; no answer takes longer than 2`;
  if (state === "storing") {
    const since = storingSince ?? jobAt;
    if (now - Math.max(since, expiresAt ?? 0) < longestSaveMs) return undefined;
    return `has been saving its results for ${daysSince(since)} days, longer than its provider keeps them`;
  }
  return now - jobAt < longestJobMs
    ? undefined
    : `has been with its provider for ${daysSince(jobAt)} days; no job takes longer than 7`;
}
