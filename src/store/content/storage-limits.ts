import { refuseAboveLimit, type StorageUse } from "#domain/files/storage-limit.ts";
import type { Reader, Store, Tx } from "../database/store.ts";

/** Storage limit in bytes for each person and each project; null is no limit. */
export type StorageLimits = { personBytes: number | null; projectBytes: number | null };

const numberOrNull = (value: number | null | undefined): number | null =>
  value === null || value === undefined ? null : Number(value);

export async function getStorageLimits(db: Reader): Promise<StorageLimits> {
  const row = await db
    .selectFrom("instance")
    .select(["person_bytes", "project_bytes"])
    .where("id", "=", 1)
    .executeTakeFirst();
  return {
    personBytes: numberOrNull(row?.person_bytes),
    projectBytes: numberOrNull(row?.project_bytes),
  };
}

export async function updateStorageLimits(
  tx: Tx,
  { personBytes, projectBytes }: Partial<StorageLimits>,
): Promise<void> {
  const set = {
    ...(personBytes !== undefined && { person_bytes: personBytes }),
    ...(projectBytes !== undefined && { project_bytes: projectBytes }),
  };
  if (Object.keys(set).length > 0)
    await tx.updateTable("instance").set(set).where("id", "=", 1).execute();
}

/**
 * Returns a person's and a project's storage use where a limit is set. Every file counts until it
 * is permanently deleted.
 */
export async function listStorageUse(
  db: Reader,
  { userId, projectId }: { userId: string; projectId: string },
): Promise<StorageUse[]> {
  const { personBytes, projectBytes } = await getStorageLimits(db);
  const uses: StorageUse[] = [];
  if (personBytes !== null)
    uses.push({
      of: "person",
      storedBytes: await sumBytes(db, "created_by", userId),
      limitBytes: personBytes,
    });
  if (projectBytes !== null)
    uses.push({
      of: "project",
      storedBytes: await sumBytes(db, "project_id", projectId),
      limitBytes: projectBytes,
    });
  return uses;
}

/**
 * Like `listStorageUse`, in a unit that stores more. Must be its first lock: other units that store
 * wait, so that none misses another's files.
 */
export async function lockStorageUse(
  store: Pick<Store, "lockName">,
  tx: Tx,
  owner: { userId: string; projectId: string },
): Promise<StorageUse[]> {
  const { personBytes, projectBytes } = await getStorageLimits(tx);
  if (personBytes === null && projectBytes === null) return [];
  await store.lockName(tx, "storage-limits");
  return listStorageUse(tx, owner);
}

/**
 * Decides in the unit that stores `bytes`; must be its first lock. Others may have stored files
 * while these bytes were arriving.
 * @throws Problem storage_limit
 */
export const refuseStoring = async (
  store: Pick<Store, "lockName">,
  tx: Tx,
  owner: { userId: string; projectId: string },
  bytes: number,
): Promise<void> => refuseAboveLimit(await lockStorageUse(store, tx, owner), bytes);

/** Sums the bytes of a project's files, counting duplicates. */
export const sumProjectBytes = (db: Reader, projectId: string): Promise<number> =>
  sumBytes(db, "project_id", projectId);

async function sumBytes(
  db: Reader,
  column: "created_by" | "project_id",
  id: string,
): Promise<number> {
  const row = await db
    .selectFrom("asset")
    .select((e) => e.fn.sum<number | string | null>("bytes").as("bytes"))
    .where(column, "=", id)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  return Number(row?.bytes ?? 0);
}
