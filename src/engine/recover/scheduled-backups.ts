import type { BackupStanding } from "#contract/schemas/admin/backups.ts";
import { nextDaily } from "#domain/runs/next-daily.ts";
import {
  type BackupPlan,
  getBackupPlan,
  setBackupDone,
  setBackupPlan,
} from "#store/runs/backup-plan.ts";
import {
  type ChoreState,
  claimChore,
  getChore,
  recordChore,
  releaseChore,
  setChoreDue,
} from "#store/runs/chore-rows.ts";
import type { EngineDeps } from "../deps.ts";

const pollMs = 60_000;
/** The wait after a failure: a disk that is full at night may have space in the morning. */
const retryMs = 60 * 60_000;
/** Twice the interval between backups. Admins are warned once the last backup is older. */
const backupOldMs = 2 * 24 * 60 * 60_000;

const kind = "backup" as const;

/** The state of scheduled backups, for admins. */
export async function readBackupStanding(
  { store, clock }: Pick<EngineDeps, "store" | "clock">,
  plan: Awaited<ReturnType<typeof getBackupPlan>>,
): Promise<BackupStanding> {
  const { folder, doneAt } = plan;
  const chore = await getChore(store.read, kind);
  if (folder === null || !chore)
    return { state: "off", doneAt, nextAt: null, isUnderWay: false, lastError: null };
  const isOld = clock.now() - (doneAt ?? chore.dueAt) > backupOldMs;
  const isUnderWay = chore.workerId !== null;
  return {
    state: isOld ? "old" : stateOf(chore),
    doneAt,
    nextAt: isUnderWay ? null : chore.dueAt,
    isUnderWay,
    lastError: chore.lastError,
  };
}

/** A success with an error could not copy every file. */
const stateOf = ({ failures, lastError }: ChoreState): BackupStanding["state"] => {
  if (failures > 0) return "failed";
  return lastError === null ? "ok" : "incomplete";
};

/** Changes the schedule and folder of backups. A new folder gets its first backup immediately. */
export async function changeBackupPlan(deps: EngineDeps, plan: BackupPlan): Promise<void> {
  await deps.commit(async ({ tx, at }) => {
    const before = await getBackupPlan(tx);
    await setBackupPlan(tx, plan);
    if (plan.folder === null) return;
    const dueAt = plan.folder === before.folder ? nextDaily(plan.hour, plan.timeZone, at) : at;
    await setChoreDue(tx, { id: deps.ids(), kind, dueAt });
  });
  deps.hub.hint(backupTopic);
}

/** Makes a backup due now. */
export async function requestBackup(deps: EngineDeps): Promise<void> {
  await deps.commit(({ tx, at }) => setChoreDue(tx, { id: deps.ids(), kind, dueAt: at }));
  deps.hub.hint(backupTopic);
}

const backupTopic = "backup";

/**
 * Makes the backup that is due, unless another server does. A copy of a database makes none,
 * because it would replace the original's backups.
 * @returns whether this server tried
 */
export async function makeDueBackup(
  deps: EngineDeps,
  workerId: string,
  signal: AbortSignal,
): Promise<boolean> {
  const { backups } = deps;
  const { folder, keep } = await getBackupPlan(deps.store.read);
  if (!backups || folder === null) return false;
  if (deps.fileOwner && deps.fileOwner.ownership() !== "owner") return false;
  const due = await getChore(deps.store.read, kind);
  if (!due || due.dueAt > deps.clock.now()) return false;
  const isMine = await deps.commit(({ tx, at }) => claimChore(tx, { kind, workerId, now: at }));
  if (!isMine) return false;
  const { isDone, error } = await backups.make({ folder, keep }, signal).then(
    (warning) => ({ isDone: true, error: warning }),
    (failure: unknown) => ({
      isDone: false,
      error: failure instanceof Error ? failure.message : String(failure),
    }),
  );
  if (signal.aborted) {
    // The next start makes the backup.
    await deps.commit(({ tx }) => releaseChore(tx, { kind, workerId }));
    return true;
  }
  if (error !== null)
    deps.log.error({ folder, error }, isDone ? "a backup lacks files" : "a backup failed");
  await deps.commit(async ({ tx, at }) => {
    // If the folder changed or someone requested a backup in the meantime, the next one is due
    // immediately.
    const planned = await getBackupPlan(tx);
    const asked = (await getChore(tx, kind))?.dueAt;
    const next =
      planned.folder !== folder
        ? at
        : asked !== undefined && asked !== due.dueAt
          ? asked
          : nextDaily(planned.hour, planned.timeZone, at);
    const dueAt = isDone ? next : Math.min(next, at + retryMs);
    await recordChore(tx, { id: deps.ids(), kind, dueAt, isDone, error });
    if (isDone && planned.folder === folder) await setBackupDone(tx, at);
  });
  return true;
}

/**
 * Checks every minute whether a backup is due.
 * @returns a function that stops the checks and any running backup
 */
export function startBackups(deps: EngineDeps, workerId: string): () => Promise<void> {
  const end = new AbortController();
  let underWay: Promise<unknown> | undefined;
  let isAskedAgain = false;
  const poll = (): void => {
    isAskedAgain = underWay !== undefined;
    underWay ??= makeDueBackup(deps, workerId, end.signal)
      .catch((error) => deps.log.warn({ error: String(error) }, "could not look for a backup"))
      .finally(() => {
        underWay = undefined;
        if (isAskedAgain && !end.signal.aborted) poll();
      });
  };
  const timer = setInterval(poll, pollMs).unref();
  const unwatch = deps.hub.subscribe(backupTopic, poll);
  return async () => {
    clearInterval(timer);
    unwatch();
    end.abort();
    await underWay;
  };
}
