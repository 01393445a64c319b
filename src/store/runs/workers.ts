import type { RawBuilder } from "kysely";
import { activeStates } from "#domain/runs/run-machine.ts";
import { literals } from "../database/literals.ts";
import type { WorkerRow } from "../database/schema.ts";
import type { Reader, Tx } from "../database/store.ts";
import { type OwnedRun, toOwnedRun } from "./run-rows.ts";

export type Worker = { id: string; bootId: string; beat: number; host: string; startedAt: number };
const toWorker = (row: WorkerRow): Worker => ({
  id: row.id,
  bootId: row.boot_id,
  beat: row.beat,
  host: row.host,
  startedAt: row.started_at,
});

/**
 * Lists which versions of the master key each server can use. A growing beat shows that it is
 * alive.
 */
export async function listWorkerKeys(
  db: Reader,
): Promise<{ id: string; host: string; beat: number; known: number; used: number }[]> {
  const rows = await db
    .selectFrom("worker")
    .select(["id", "host", "beat", "key_known", "key_used"])
    .orderBy("id")
    .execute();
  return rows.map((row) => ({
    id: row.id,
    host: row.host,
    beat: Number(row.beat),
    known: Number(row.key_known),
    used: Number(row.key_used),
  }));
}

/**
 * Reads which master key the database names and which versions a server last reported, in one
 * statement: every server asks every two seconds.
 * @returns `reported` is undefined once the server's row is gone, which happens when it was declared
 *   dead
 */
export async function findKeysOf(
  db: Reader,
  workerId: string,
): Promise<
  | {
      named: { masterKeyVersion: number; masterKeyCheck: string | null };
      reported: { known: number; used: number } | undefined;
    }
  | undefined
> {
  const row = await db
    .selectFrom("instance")
    .leftJoin("worker", (join) => join.on("worker.id", "=", workerId))
    .select([
      "instance.master_key_version",
      "instance.master_key_check",
      "worker.id",
      "worker.key_known",
      "worker.key_used",
    ])
    .where("instance.id", "=", 1)
    .executeTakeFirst();
  return (
    row && {
      named: {
        masterKeyVersion: Number(row.master_key_version),
        masterKeyCheck: row.master_key_check,
      },
      reported:
        row.id === null ? undefined : { known: Number(row.key_known), used: Number(row.key_used) },
    }
  );
}

export async function setWorkerKeys(
  tx: Tx,
  id: string,
  { known, used }: { known: number; used: number },
): Promise<void> {
  await tx
    .updateTable("worker")
    .set({ key_known: known, key_used: used })
    .where("id", "=", id)
    .execute();
}

export async function insertWorker(tx: Tx, worker: Worker): Promise<void> {
  await tx
    .insertInto("worker")
    .values({
      id: worker.id,
      boot_id: worker.bootId,
      beat: worker.beat,
      host: worker.host,
      started_at: worker.startedAt,
    })
    .execute();
}

/**
 * Records a heartbeat. False when this worker was declared dead meanwhile and owns nothing any
 * more.
 */
export async function beatWorker(tx: Tx, id: string): Promise<boolean> {
  const result = await tx
    .updateTable("worker")
    .set((e) => ({ beat: e("beat", "+", 1) }))
    .where("id", "=", id)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

export async function listWorkers(db: Reader): Promise<Worker[]> {
  return (await db.selectFrom("worker").selectAll().orderBy("id").execute()).map(toWorker);
}

/**
 * Lists the workers with everything another worker checks, in one statement, because it runs every
 * second.
 * @param isLockFree whether nobody holds the lock of the worker's boot
 * @returns `hasOrphans`: whether workers that are gone left open runs
 */
export async function readWorkers(
  db: Reader,
  isLockFree: RawBuilder<boolean>,
): Promise<{ workers: (Worker & { isLockFree: boolean })[]; hasOrphans: boolean }> {
  const rows = await db
    .selectFrom("worker")
    .selectAll()
    .select((e) => [isLockFree.as("is_lock_free"), e.exists(orphansIn(db)).as("has_orphans")])
    .orderBy("id")
    .execute();
  return {
    workers: rows.map((row) => ({ ...toWorker(row), isLockFree: Boolean(row.is_lock_free) })),
    hasOrphans: rows.some((row) => Boolean(row.has_orphans)),
  };
}

const orphansIn = (db: Reader) =>
  db
    .selectFrom("run")
    .select("run.id")
    .where("worker_id", "is not", null)
    .where("worker_id", "not in", db.selectFrom("worker").select("worker.id"))
    .where("state", "in", literals(activeStates));

/** Removes a worker if its beat is still `seenBeat`; only one observer succeeds. */
export async function removeWorker(tx: Tx, id: string, seenBeat?: number): Promise<boolean> {
  let query = tx.deleteFrom("worker").where("id", "=", id);
  if (seenBeat !== undefined) query = query.where("beat", "=", seenBeat);
  return (await query.executeTakeFirst()).numDeletedRows > 0n;
}

/**
 * Takes over open runs of dead workers under a new fence, so that the old owner's late writes are
 * refused.
 */
export async function adoptRuns(tx: Tx, workerId: string, limit: number): Promise<OwnedRun[]> {
  const orphans = await orphansIn(tx).limit(limit).execute();
  if (orphans.length === 0) return [];
  const rows = await tx
    .updateTable("run")
    .set((e) => ({ worker_id: workerId, fence: e("fence", "+", 1) }))
    .where(
      "id",
      "in",
      orphans.map((row) => row.id),
    )
    .where("worker_id", "not in", tx.selectFrom("worker").select("id"))
    .returningAll()
    .execute();
  return rows.map(toOwnedRun);
}

/**
 * Lists the active runs recorded as this worker's. A run that the worker doesn't have in memory was
 * dropped by an error.
 */
export function listOwnedRuns(
  db: Reader,
  workerId: string,
): Promise<{ id: string; connectionId: string }[]> {
  return db
    .selectFrom("run")
    .select(["id", "connection_id as connectionId"])
    .where("worker_id", "=", workerId)
    .where("finished_at", "is", null)
    .execute();
}

/** Takes dropped runs up again under a new fence. */
export async function retakeRuns(
  tx: Tx,
  workerId: string,
  ids: readonly string[],
): Promise<OwnedRun[]> {
  const rows = await tx
    .updateTable("run")
    .set((e) => ({ fence: e("fence", "+", 1) }))
    .where("id", "in", ids)
    .where("worker_id", "=", workerId)
    .where("finished_at", "is", null)
    .returningAll()
    .execute();
  return rows.map(toOwnedRun);
}
