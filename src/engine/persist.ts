import { setTimeout as sleep } from "node:timers/promises";
import type { Outbox } from "#store/outbox.ts";
import type { Tx } from "#store/store.ts";
import type { EngineDeps } from "./deps.ts";

/** SQLite's primary result codes for what may pass: busy, locked, I/O error, disk full, can't open. */
const passingSqlite = new Set([5, 6, 10, 13, 14]);
/** PostgreSQL's classes for what may pass: connection, resources, operator's intervention, rollback, system. */
const passingPostgres = /^(08|53|57|40|58)/;
const passingSystem = /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN)$/;

/** Whether the database may take the same unit a little later. */
export function mayPass(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ("errcode" in error) return passingSqlite.has(Number(error.errcode) & 0xff);
  if ("code" in error && typeof error.code === "string") return passingPostgres.test(error.code) || passingSystem.test(error.code);
  return /Connection terminated|connection timeout/i.test(error.message);
}

/**
 * A commit that must not be lost: what was paid for, or was shown. It is tried again while the database says "not now",
 * until `signal` says that this process gives up; then the next owner finds the run as it was last written.
 * @throws what the unit throws, when waiting would not help
 */
export async function persist<T>(
  deps: Pick<EngineDeps, "commit" | "log">,
  signal: AbortSignal,
  unit: (tx: Tx, outbox: Outbox) => Promise<T>,
): Promise<T> {
  for (let waitMs = 50; ; waitMs = Math.min(waitMs * 2, 5_000)) {
    try {
      return await deps.commit(unit);
    } catch (error) {
      if (!mayPass(error) || signal.aborted) throw error;
      deps.log.warn({ error: String(error), waitMs }, "the database did not take a commit; trying again");
      await sleep(waitMs, undefined, { signal });
    }
  }
}
