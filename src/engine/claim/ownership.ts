import { hostname } from "node:os";
import { limits } from "#contract/limits.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import {
  adoptRuns,
  beatWorker,
  insertWorker,
  listWorkers,
  lookAtWorkers,
  removeWorker,
} from "#store/runs/workers.ts";
import type { EngineDeps } from "../deps.ts";

/** A worker whose session lock is free is dead sooner: its process or its database connection is gone. */
const deadWithoutLockMs = 10_000;
const adoptAtOnce = 1_000;
/** Others are checked more often than this server beats: a death must be seen within a second of its bound, in spite of jitter. */
const lookMs = 1_000;

export type Ownership = {
  /** One sign of life, one look at the others. For a test's own clock; in the program a timer calls it. */
  tick(): Promise<void>;
  stop(): Promise<void>;
};

/**
 * Who owns what. Without `adopted` it only beats: for a server that owns only live sessions. A worker beats; another server that sees no change of a beat for 30 s on its own monotonic clock (10 s when
 * the worker's session lock is free) removes it and takes over its runs under a new fence. Wall clocks are never compared.
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
    // On SQLite this process is the only one: every earlier worker is dead.
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

  /** Removed and taken over in one unit: between the two, the other could come back and own runs that it has let go. */
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

  /** @returns whether runs are left by workers that are gone */
  async function lookAtOthers(): Promise<boolean> {
    const now = deps.clock.monotonic();
    const { store } = deps;
    const looked = await lookAtWorkers(store.read, store.sessionLock.freeIn("worker.boot_id"));
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
    // A restarted database has freed every lock: a living worker takes its own again. That it can't be had does not hold up the beat.
    void deps.store.sessionLock
      .take(bootId)
      .catch((error) =>
        deps.log.warn({ error: String(error) }, "could not take the lock of this worker again"),
      );
    // On PostgreSQL a statement alone is a unit, without the three around it.
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

  async function look(): Promise<void> {
    // A server that is about to stop leaves other workers' runs to those that stay.
    if (!adopted || on.isDraining()) return;
    if (await lookAtOthers()) await adopt();
  }

  // At once, so that the time of a worker that is gone already begins to run now.
  await look();
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
  // SQLite has one server: there is nobody to look at.
  const timers = [
    every(limits.workerBeatMs, beat),
    ...(deps.store.engine === "postgres" ? [every(lookMs, look)] : []),
  ];
  return {
    async tick() {
      await beat();
      await look();
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
