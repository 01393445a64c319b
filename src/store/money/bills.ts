import { setImmediate as nextTurn } from "node:timers/promises";
import { sql } from "kysely";
import type { RunState } from "#contract/entities.ts";
import type { Reader } from "../database/store.ts";

const dayMs = 24 * 60 * 60_000;

/** A run that a bill is compared with: its amounts in the ledger, and none of its content. */
export type BookedRun = {
  runId: string;
  modelId: string;
  state: RunState;
  projectId: string;
  userId: string;
  visibility: "author" | "project";
  createdAt: number;
  /**
   * The sum of all ledger entries on this connection except holds: behind an alias, a run may have
   * cost something on several.
   */
  bookedMicros: number;
  /** When the first of these entries was written; null when there are none. */
  bookedAt: number | null;
  /** The provider's ids of its attempts. */
  requestIds: string[];
};

/** Ids per query, well below either database's parameter limit. */
const idsAtOnce = 500;

/**
 * Yields between parts: node:sqlite answers synchronously, so awaiting it alone lets no other work
 * run.
 */
async function inParts<T>(
  ids: readonly string[],
  read: (part: string[]) => Promise<T[]>,
): Promise<T[]> {
  const found: T[] = [];
  for (let start = 0; start < ids.length; start += idsAtOnce) {
    found.push(...(await read(ids.slice(start, start + idsAtOnce))));
    await nextTurn();
  }
  return found;
}

/** Finds the runs of a connection whose provider jobs have these ids. */
export async function findRunsOfRequests(
  db: Reader,
  connectionId: string,
  requestIds: readonly string[],
): Promise<BookedRun[]> {
  const rows = await inParts(requestIds, (part) =>
    db
      .selectFrom("attempt")
      .innerJoin("run", "run.id", "attempt.run_id")
      .select("run.id")
      .where("attempt.provider_request_id", "in", part)
      .where((e) =>
        e.or([
          e("run.connection_id", "=", connectionId),
          e.exists(
            e
              .selectFrom("ledger_entry")
              .select("ledger_entry.id")
              .whereRef("ledger_entry.run_id", "=", "run.id")
              .where("ledger_entry.connection_id", "=", connectionId)
              .where("kind", "not in", ["hold", "release"]),
          ),
        ]),
      )
      .execute(),
  );
  return getBookedRuns(
    db,
    connectionId,
    rows.map((row) => row.id),
  );
}

/**
 * Lists the connection's runs with a cost booked in the range, one day at a time. `fromMs` is
 * included, `toMs` isn't.
 */
export async function listBookedIds(
  db: Reader,
  connectionId: string,
  fromMs: number,
  toMs: number,
): Promise<string[]> {
  const ids = new Set<string>();
  for (let at = fromMs; at < toMs; at += dayMs) {
    const rows = await db
      .selectFrom("ledger_entry")
      .select("run_id")
      .distinct()
      .where("at", ">=", at)
      .where("at", "<", Math.min(at + dayMs, toMs))
      .where("connection_id", "=", connectionId)
      .where("kind", "not in", ["hold", "release"])
      .where("run_id", "is not", null)
      .execute();
    for (const { run_id } of rows) if (run_id !== null) ids.add(run_id);
    await nextTurn();
  }
  return [...ids];
}

/**
 * Returns runs, in any order and without duplicates, with their amounts on this connection and the
 * provider's ids.
 */
export async function getBookedRuns(
  db: Reader,
  connectionId: string,
  ids: readonly string[],
): Promise<BookedRun[]> {
  return inParts([...new Set(ids)], async (part) => {
    const runs = await db
      .selectFrom("run")
      .select(["id", "model_id", "state", "project_id", "user_id", "visibility", "created_at"])
      .where("id", "in", part)
      .execute();
    const books = await db
      .selectFrom("ledger_entry")
      .select((e) => [
        "run_id",
        e.fn.min("model_id").as("model_id"),
        e.fn.sum<number | string>("micros").as("micros"),
        e.fn.min<number | string>("at").as("at"),
      ])
      .where("run_id", "in", part)
      .where("connection_id", "=", connectionId)
      .where("kind", "not in", ["hold", "release"])
      .groupBy("run_id")
      .execute();
    const attempts = await db
      .selectFrom("attempt")
      .select(["run_id", "provider_request_id"])
      .where("run_id", "in", part)
      .where("provider_request_id", "is not", null)
      .execute();
    const bookOf = new Map(books.map((book) => [book.run_id, book]));
    return runs.map((run) => ({
      runId: run.id,
      modelId: bookOf.get(run.id)?.model_id ?? run.model_id,
      state: run.state as RunState,
      projectId: run.project_id,
      userId: run.user_id,
      visibility: run.visibility,
      createdAt: run.created_at,
      bookedMicros: Number(bookOf.get(run.id)?.micros ?? 0),
      bookedAt: bookOf.has(run.id) ? Number(bookOf.get(run.id)?.at) : null,
      requestIds: attempts.flatMap((attempt) =>
        attempt.run_id === run.id ? (attempt.provider_request_id ?? []) : [],
      ),
    }));
  });
}

/** Returns a run's booked cost in micro-dollars, by connection and model. */
export async function listBookedCosts(
  db: Reader,
  runId: string,
): Promise<{ connectionId: string; modelId: string; micros: number }[]> {
  const rows = await db
    .selectFrom("ledger_entry")
    .select((e) => [
      "connection_id",
      e.fn.min("model_id").as("model_id"),
      e.fn.sum<number | string>("micros").as("micros"),
    ])
    .where("run_id", "=", runId)
    .where("kind", "not in", ["hold", "release"])
    .groupBy("connection_id")
    .execute();
  return rows.map((row) => ({
    connectionId: row.connection_id ?? "",
    modelId: row.model_id ?? "",
    micros: Number(row.micros),
  }));
}

/** Lists a connection's unconfirmed runs, and when the last attempt was sent. */
export async function listUnknownRuns(
  db: Reader,
  connectionId: string,
): Promise<{ runId: string; modelId: string; sentAt: number }[]> {
  const rows = await db
    .selectFrom("run")
    .leftJoin("attempt", (join) =>
      join.onRef("attempt.run_id", "=", "run.id").onRef("attempt.number", "=", "run.attempts"),
    )
    .select([
      "run.id",
      "run.model_id",
      "run.created_at",
      "attempt.sent_at",
      "attempt.provider_request_id",
    ])
    .where("run.state", "=", sql.lit("unconfirmed"))
    .where("run.connection_id", "=", connectionId)
    .where("attempt.provider_request_id", "is", null)
    .orderBy("run.id")
    .execute();
  return rows.map((row) => ({
    runId: row.id,
    modelId: row.model_id,
    sentAt: row.sent_at ?? row.created_at,
  }));
}

/** Lists the booked cost of a connection's models by UTC day. Both days are included. */
export async function listModelDays(
  db: Reader,
  connectionId: string,
  range: { from: string; to: string },
): Promise<{ day: string; modelId: string; micros: number }[]> {
  const rows = await db
    .selectFrom("usage_day")
    .select((e) => ["day", "model_id", e.fn.sum<number | string>("micros").as("micros")])
    .where("day", ">=", range.from)
    .where("day", "<=", range.to)
    .where("connection_id", "=", connectionId)
    .groupBy(["day", "model_id"])
    .execute();
  return rows.map((row) => ({ day: row.day, modelId: row.model_id, micros: Number(row.micros) }));
}
