import { hostname } from "node:os";
import { limits } from "#contract/limits.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import {
  adoptRuns,
  beatWorker,
  insertWorker,
  listWorkers,
  readWorkers,
  removeWorker,
} from "#store/runs/workers.ts";
import type { EngineDeps } from "../deps.ts";

/**
 * A worker whose session lock is free is declared dead sooner: its process or its database
 * connection is gone.
 */
const deadWithoutLockMs = 10_000;
const adoptAtOnce = 1_000;
/**
 * Shorter than a beat, so that a death is noticed within a second of its deadline despite jitter.
 */
const pollMs = 1_000;

export type Ownership = {
  /**
   * Sends one heartbeat and checks the other workers. Tests call it with their own clock; otherwise
   * timers do.
   */
  tick(): Promise<void>;
  stop(): Promise<void>;
};

/**
 * Sends this worker's heartbeat and takes over the runs of dead workers. A worker whose beat hasn't
 * changed for 30 s on this server's monotonic clock (10 s if its session lock is free) is removed,
 * and its runs continue here under a new fence. Wall clocks are never compared. Without `adopted`
 * it only sends heartbeats, for a server that owns nothing but live sessions.
 */
export async function createOwnership(
  deps: EngineDeps,
  workerId: string,
  bootId: string,
  on: { adopted?(runs: OwnedRun[]): void; isDraining(): boolean; declaredDead(): void },
): Promise<Ownership> {
  const seen = new Map<string, { beat: number; since: number; lockFreeSince: number | null }>();
  await deps.store.sessionLock.take(bootId);
  await deps.commit(async ({ tx, at }) => {
    // SQLite has a single process, so every earlier worker is dead.
    if (deps.store.engine === "sqlite")
      for (const worker of await listWorkers(tx)) await removeWorker(tx, worker.id);
    await insertWorker(tx, {
      id: workerId,
      bootId,
      beat: 0,
      host: hostname(),
      startedAt: at,
    });
  });

  const adopted = on.adopted;
  async function adopt(): Promise<void> {
    while (adopted) {
      const runs = await deps.commit(({ tx }) => adoptRuns(tx, workerId, adoptAtOnce));
      if (runs.length > 0) adopted(runs);
      if (runs.length < adoptAtOnce) return;
    }
  }

  /**
   * Removes the worker and adopts its runs in one unit. Between two units the worker could come
   * back and own runs it has already released.
   */
  async function takeOver(dead: { id: string; beat: number; host: string }): Promise<void> {
    const runs = await deps.commit(async ({ tx }) =>
      (await removeWorker(tx, dead.id, dead.beat))
        ? await adoptRuns(tx, workerId, adoptAtOnce)
        : null,
    );
    if (!runs) return;
    deps.log.warn(
      { worker: dead.id, host: dead.host, runs: runs.length },
      "a worker is dead; its runs are taken over",
    );
    adopted?.(runs);
  }

  /** @returns whether dead workers have left runs behind */
  async function findOrphans(): Promise<boolean> {
    const now = deps.clock.monotonic();
    const { store } = deps;
    const looked = await readWorkers(store.read, store.sessionLock.freeIn("worker.boot_id"));
    let hasOrphans = looked.hasOrphans;
    const workers = looked.workers.filter((worker) => worker.id !== workerId);
    for (const worker of workers) {
      const known = seen.get(worker.id);
      const lockFree = worker.isLockFree;
      if (known?.beat !== worker.beat) {
        seen.set(worker.id, {
          beat: worker.beat,
          since: now,
          lockFreeSince: lockFree ? now : null,
        });
        continue;
      }
      known.lockFreeSince = lockFree ? (known.lockFreeSince ?? now) : null;
      const dead =
        now - known.since >= limits.workerDeadMs ||
        (known.lockFreeSince !== null && now - known.lockFreeSince >= deadWithoutLockMs);
      if (!dead) continue;
      await takeOver(worker);
      hasOrphans = true;
    }
    for (const id of seen.keys()) if (!workers.some((worker) => worker.id === id)) seen.delete(id);
    return hasOrphans;
  }

  async function beat(): Promise<void> {
    // A restarted database releases every lock, so a living worker takes its lock again. A failure
    // doesn't delay the heartbeat.
    void deps.store.sessionLock
      .take(bootId)
      .catch((error) =>
        deps.log.warn({ error: String(error) }, "could not take the lock of this worker again"),
      );
    // On PostgreSQL a single statement is atomic, which saves the three round trips of a
    // transaction.
    const isAlive =
      deps.store.engine === "postgres"
        ? await beatWorker(deps.store.db, workerId)
        : await deps.commit(({ tx }) => beatWorker(tx, workerId));
    if (!isAlive) {
      on.declaredDead();
      await deps.commit(({ tx, at }) =>
        insertWorker(tx, {
          id: workerId,
          bootId,
          beat: 0,
          host: hostname(),
          startedAt: at,
        }),
      );
    }
  }

  async function poll(): Promise<void> {
    // A stopping server leaves other workers' runs to the remaining servers.
    if (!adopted || on.isDraining()) return;
    if (await findOrphans()) await adopt();
  }

  // Checks immediately, so that the deadline of a dead worker starts now.
  await poll();
  let ticking = Promise.resolve();
  const every = (ms: number, work: () => Promise<void>): NodeJS.Timeout =>
    setInterval(() => {
      ticking = ticking
        .then(work)
        .catch((error) =>
          deps.log.warn(
            { error: String(error) },
            "could not send a heartbeat or check other workers",
          ),
        );
    }, ms).unref();
  // SQLite has one server, so there are no other workers to check.
  const timers = [
    every(limits.workerBeatMs, beat),
    ...(deps.store.engine === "postgres" ? [every(pollMs, poll)] : []),
  ];
  return {
    async tick() {
      await beat();
      await poll();
    },
    async stop() {
      for (const timer of timers) clearInterval(timer);
      await ticking;
      await deps
        .commit(({ tx }) => removeWorker(tx, workerId))
        .catch((error) => deps.log.warn({ error: String(error) }, "could not sign off"));
    },
  };
}
