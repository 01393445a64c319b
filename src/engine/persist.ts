import { setTimeout as sleep } from "node:timers/promises";
import { Problem } from "#contract/errors.ts";
import { sentences } from "#contract/sentences/index.ts";
import { lostConnection } from "#store/database/store.ts";
import type { Unit } from "#store/runs/unit.ts";
import type { EngineDeps } from "./deps.ts";

/**
 * SQLite's primary result codes of transient errors: busy, locked, out of memory, read-only, I/O
 * error, disk full, can't open.
 */
const passingSqlite = new Set([5, 6, 7, 8, 10, 13, 14]);
/**
 * PostgreSQL's classes of transient errors: connection, resources, operator intervention, rollback,
 * system, an idle transaction, and a server that is read-only during a failover.
 */
const passingPostgres = /^(08|53|57|40|58|25P03|25006)/;
const passingSystem = /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN)$/;

const sqliteFull = 13;
const postgresFull = "53100";

/** Whether the database may accept the same unit later. */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ("errcode" in error) return passingSqlite.has(Number(error.errcode) & 0xff);
  if ("code" in error && typeof error.code === "string")
    return passingPostgres.test(error.code) || passingSystem.test(error.code);
  return lostConnection.test(error.message);
}

/** An SQLSTATE always has a digit here, which system error codes (EBUSY) don't. */
const sqlState = /^(?=.*\d)[0-9A-Z]{5}$/;

/**
 * Whether the database will refuse the unit each time: a value out of range, a violated constraint.
 */
export const isRefusedForGood = (error: unknown): boolean =>
  error instanceof Error &&
  !isTransient(error) &&
  ("errcode" in error || ("code" in error && sqlState.test(String(error.code))));

const isFull = (error: unknown): boolean =>
  error instanceof Error &&
  (("errcode" in error && Number(error.errcode) === sqliteFull) ||
    ("code" in error && error.code === postgresFull));

/** Maps an error for the caller: a full or silent database is not an internal error. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (isFull(error)) return new Problem("storage_full", {}, { cause: error });
  if (isTransient(error))
    return new Problem(
      "unavailable",
      { message: sentences.storage.databaseDown },
      { cause: error },
    );
  return new Problem("internal", {}, { cause: error });
}

type Patient = Pick<EngineDeps, "log">;

/**
 * Commits a result that must not be lost, and retries transient errors until `signal` aborts. The
 * next owner then finds the run as it was last written.
 * @throws the unit's error if waiting doesn't help
 */
export const persist = <T>(
  deps: Patient & Pick<EngineDeps, "commit">,
  signal: AbortSignal,
  unit: (unit: Unit) => Promise<T>,
): Promise<T> => whileItPasses(deps, signal, () => deps.commit(unit));

/**
 * Reads, and retries transient errors: without the read, an answer that only this process holds
 * would be lost.
 */
export const readWithRetry = <T>(
  deps: Patient,
  signal: AbortSignal,
  read: () => Promise<T>,
): Promise<T> => whileItPasses(deps, signal, read);

async function whileItPasses<T>(
  deps: Patient,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  for (let waitMs = 50; ; waitMs = Math.min(waitMs * 2, 5_000)) {
    try {
      return await work();
    } catch (error) {
      if (!isTransient(error) || signal.aborted) throw error;
      deps.log.warn(
        { error: String(error), waitMs },
        "the database did not do what it was asked; trying again",
      );
      await sleep(waitMs, undefined, { signal });
    }
  }
}
