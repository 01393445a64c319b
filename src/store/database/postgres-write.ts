import { setTimeout as sleep } from "node:timers/promises";
import { type Kysely, sql } from "kysely";
import { prepared } from "./prepared.ts";
import type { Database } from "./schema.ts";
import { lostConnection, type Reader, type Store, type Tx } from "./store.ts";

/**
 * A serialization failure, a deadlock, an idle unit, a terminated backend, or a broken connection:
 * the unit was rolled back and can be retried.
 */
const retryable = new Set<unknown>(["40001", "40P01", "25P03", "57P01", "ECONNRESET", "EPIPE"]);
const isRetryable = (error: unknown): boolean =>
  error instanceof Error &&
  (("code" in error && retryable.has(error.code)) || lostConnection.test(error.message));
const triesOfUnit = 5;

const ids = new WeakMap<Tx, number>();
/** Records the id of a unit's transaction when a statement returned it anyway, to save a query. */
export const noteTransaction = (tx: Tx, id: number): void => void ids.set(tx, id);

/** Null for a unit that wrote nothing. */
const idOfTransaction = prepared((db) =>
  db.selectNoFrom(sql<number | null>`txid_current_if_assigned()`.as("id")),
);

/**
 * Runs units of work, each in its own transaction. When a connection breaks during the commit, this
 * side can't know whether it succeeded, and repeating the unit would write its events twice. So the
 * database is asked for the transaction's status once it is reachable again.
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
/** PostgreSQL's transient error classes: connection, resources, operator intervention. */
const isAway = (error: unknown): boolean =>
  error instanceof Error &&
  (("code" in error && /^(08|53|57|E)/.test(String(error.code))) ||
    lostConnection.test(error.message));

/**
 * @throws `cause` when the database can never tell: it is closed on this side, or has forgotten the
 *   transaction
 */
async function wasCommitted(db: Reader, id: number, cause: unknown): Promise<boolean> {
  for (;;) {
    try {
      const { rows } = await sql<{
        status: string | null;
      }>`select txid_status(${id}::bigint) as status`.execute(db);
      const status = rows[0]?.status ?? null;
      if (status === "committed") return true;
      if (status === "aborted") return false;
      // "in progress": its backend hasn't noticed yet that the connection is gone.
      if (status === null) throw cause;
    } catch (error) {
      if (error === cause || !isAway(error)) throw cause;
    }
    await sleep(askAgainMs);
  }
}
