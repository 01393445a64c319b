import type { Reader, Tx } from "../database/store.ts";

export type BackupPlan = {
  /** Null: no scheduled backups. */
  folder: string | null;
  /** 0 to 23, in `timeZone`. */
  hour: number;
  timeZone: string;
  /** Number of backups kept in the folder. */
  keep: number;
};

/** @returns the plan, and when the last backup completed; null before the first */
export async function getBackupPlan(db: Reader): Promise<BackupPlan & { doneAt: number | null }> {
  const row = await db
    .selectFrom("instance")
    .select(["backup_folder", "backup_hour", "backup_time_zone", "backup_keep", "backup_done_at"])
    .where("id", "=", 1)
    .executeTakeFirst();
  return {
    folder: row?.backup_folder ?? null,
    hour: Number(row?.backup_hour ?? 3),
    timeZone: row?.backup_time_zone ?? "UTC",
    keep: Number(row?.backup_keep ?? 1),
    doneAt:
      row?.backup_done_at === null || row?.backup_done_at === undefined
        ? null
        : Number(row.backup_done_at),
  };
}

/** Changing the folder clears `doneAt`: the last complete backup is in the old folder. */
export async function setBackupPlan(tx: Tx, plan: BackupPlan): Promise<void> {
  const before = await getBackupPlan(tx);
  await tx
    .updateTable("instance")
    .set({
      backup_folder: plan.folder,
      backup_hour: plan.hour,
      backup_time_zone: plan.timeZone,
      backup_keep: plan.keep,
      ...(before.folder !== plan.folder && { backup_done_at: null }),
    })
    .where("id", "=", 1)
    .execute();
}

export async function setBackupDone(tx: Tx, at: number): Promise<void> {
  await tx.updateTable("instance").set({ backup_done_at: at }).where("id", "=", 1).execute();
}
