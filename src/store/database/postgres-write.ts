import { setTimeout as sleep } from "node:timers/promises";
import { type Kysely, sql } from "kysely";
import { prepared } from "./prepared.ts";
import type { Database } from "./schema.ts";
import { lostConnection, type Reader, type Store, type Tx } from "./store.ts";

/** A serialization failure, a deadlock, a unit that stood still for too long, a backend that was ended, a connection that broke: nothing of the unit was kept, and it may be tried again. */
const retryable = new Set<unknown>(["40001", "40P01", "25P03", "57P01", "ECONNRESET", "EPIPE"]);
const isRetryable = (error: unknown): boolean =>
  error instanceof Error &&
  (("code" in error && retryable.has(error.code)) || lostConnection.test(error.message));
const triesOfUnit = 5;

const ids = new WeakMap<Tx, number>();
/** The id of a unit's transaction, when a statement has told it along the way: it is not asked for once more. */
export const noteTransaction = (tx: Tx, id: number): void => void ids.set(tx, id);

/** Null for a unit that wrote nothing. */
const idOfTransaction = prepared((db) =>
  db.selectNoFrom(sql<number | null>`txid_current_if_assigned()`.as("id")),
);

/**
 * Units of work, each in a transaction of its own. When a connection breaks at the commit nobody knows on this side whether it
 * was done, and a unit that is repeated would write its events twice: so the database itself is asked, when it is there again.
 */
export function createPostgresWrite(db: Kysely<Database>): Store["write"] {
  return async (unit) => {
    for (let tries = 1; ; tries++) {
      let done: { value: Awaited<ReturnType<typeof unit>>; id: number | null } | undefined;
      try {
        return await db.transaction().execute(async (tx) => {
          const value = await unit(tx);
          const id = ids.get(tx) ?? (await idOfTransaction(tx, {}))[0]?.id;
          done = { value, id: id ?? null };
          return value;
        });
      } catch (error) {
        const atCommit = done as typeof done;
        if (atCommit?.id != null && (await wasCommitted(db, atCommit.id, error)))
          return atCommit.value;
        if (!isRetryable(error) || tries === triesOfUnit) throw error;
      }
    }
  };
}

const askAgainMs = 250;
/** PostgreSQL's classes for what passes: connection, resources, operator's intervention. */
const isAway = (error: unknown): boolean =>
  error instanceof Error &&
  (("code" in error && /^(08|53|57|E)/.test(String(error.code))) ||
    lostConnection.test(error.message));

/** @throws `cause` when the database will never tell: it is closed on this side, or has forgotten */
async function wasCommitted(db: Reader, id: number, cause: unknown): Promise<boolean> {
  for (;;) {
    try {
      const { rows } = await sql<{
        status: string | null;
      }>`select txid_status(${id}::bigint) as status`.execute(db);
      const status = rows[0]?.status ?? null;
      if (status === "committed") return true;
      if (status === "aborted") return false;
      // "in progress": its backend has not noticed yet that nobody listens.
      if (status === null) throw cause;
    } catch (error) {
      if (error === cause || !isAway(error)) throw cause;
    }
    await sleep(askAgainMs);
  }
}
