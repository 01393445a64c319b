import { z } from "zod";
import { time } from "../../entities.ts";
import { limits } from "../../limits.ts";

const backupStates = ["off", "ok", "old", "failed", "incomplete"] as const;
export const backupStanding = z.object({
  /**
   * off: no folder is set. old: the last complete backup is older than two days. failed: the last
   * attempt failed. incomplete: the last backup lacks files that the storage has lost.
   */
  state: z.enum(backupStates),
  /** When the last backup was completed; null before the first. */
  doneAt: time.nullable(),
  /** When the next backup is due; null during a backup, and without a folder. */
  nextAt: time.nullable(),
  isUnderWay: z.boolean(),
  /** Why the last attempt failed, or which files it couldn't copy. */
  lastError: z.string().nullable(),
});
export type BackupStanding = z.infer<typeof backupStanding>;
const backupPlan = z.strictObject({
  /** A path on the servers; null disables scheduled backups. */
  folder: z.string().min(1).max(1_000).nullable(),
  /** The local hour in the time zone. */
  hour: z.int().min(0).max(23),
  timeZone: z.string().max(100),
  keep: z.int().min(1).max(limits.backupsKept),
});
const backups = z.object({
  plan: backupPlan,
  standing: backupStanding,
  engine: z.enum(["sqlite", "postgres"]),
  /** The backups in the folder, newest first; null if this server can't read it. */
  made: z.array(z.object({ at: time, files: z.int(), bytes: z.int() })).nullable(),
});

export const backupSchemas = {
  getBackups: { response: backups },
  setBackups: { body: backupPlan, response: backups },
  makeBackup: { response: backups },
};
