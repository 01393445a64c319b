import { setTimeout as sleep } from "node:timers/promises";
import type { Tx } from "./store.ts";

/** Transaction statements, kept apart from queries: each runs several times a unit. */
export const controls = [
  "begin immediate",
  "commit",
  "rollback",
  "savepoint unit",
  "release unit",
  "rollback to unit",
] as const;
export type Control = (typeof controls)[number];
/** Gives `work` exclusive use of the one connection that writes, until it ends. */
export type Connect = (work: (connection: Tx) => Promise<void>) => Promise<void>;
/** How a unit ended, reported after the commit. */
type Outcome = { value: unknown } | { error: unknown };
type Waiting = {
  since: number;
  run(tx: Tx): Promise<unknown>;
  done(value: unknown): void;
  failed(error: unknown): void;
};

/**
 * A transaction takes queued units for at least this long. At 1 ms, each of 200 concurrent answers
 * spent 0.6 ms on commits.
 */
const minWorkMs = 4;
/**
 * A transaction works at most this long before it yields to the event loop, however slow the last
 * commit was.
 */
const maxWorkMs = 20;
/**
 * How long another process (a backup tool, somebody's shell) may lock the file before a unit fails.
 */
const busyLimitMs = 30_000;
/**
 * Interval between attempts while another process holds the lock. In between, the connection is
 * free for reads.
 */
const maxBusyMs = 50;
const isBusy = (error: unknown): boolean =>
  error instanceof Error && "errcode" in error && (Number(error.errcode) & 0xff) === 5;

async function outcomeOf(connection: Tx, unit: Waiting): Promise<Outcome> {
  try {
    return { value: await unit.run(connection) };
  } catch (error) {
    return { error };
  }
}

function tell(unit: Waiting, outcome: Outcome): void {
  if ("error" in outcome) unit.failed(outcome.error);
  else unit.done(outcome.value);
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * Group commit for SQLite's single writer. A transaction takes queued units until it has worked for
 * as long as the last commit took (4 to 20 ms), commits, resolves them, and yields the connection
 * and the event loop. A unit that throws is rolled back alone; a commit that fails fails every unit
 * in it.
 *
 * A savepoint copies each page that changes in it: a savepoint for every unit was a sixth of an
 * admission's work. Units therefore share one until a unit throws. Rolling it back also undoes the
 * units before, so those run again, and from then on each unit has its own savepoint.
 */
export function createCommitQueue(
  connect: Connect,
  control: (statement: Control) => void,
  clock: { monotonic(): number },
) {
  const queue: Waiting[] = [];
  let pumping = false;
  let commitMs = 1;

  /** @returns false when another process holds the write lock, and then nothing is done */
  async function commitSome(): Promise<boolean> {
    const units: Waiting[] = [];
    let outcomes: Outcome[] = [];
    try {
      await connect(async (connection) => {
        control("begin immediate");
        try {
          outcomes = await runUnits(connection, units);
          const commitAt = clock.monotonic();
          control("commit");
          commitMs = clock.monotonic() - commitAt;
        } catch (error) {
          undo();
          throw error;
        }
      });
      // Failures are reported after the commit too: a unit refused because of another unit's write
      // may look for that write at once.
      for (const [i, unit] of units.entries()) tell(unit, outcomes[i]!);
    } catch (error) {
      if (units.length === 0 && isBusy(error)) return waitOrFail(error);
      for (const unit of units) unit.failed(error);
      if (units.length === 0) queue.shift()?.failed(error);
    }
    return true;
  }

  /**
   * Each unit waits up to the limit from its own start, not from the end of the units before it.
   */
  function waitOrFail(error: unknown): false {
    while (queue[0] && clock.monotonic() - queue[0].since >= busyLimitMs)
      queue.shift()?.failed(error);
    return false;
  }

  /**
   * @param units receives the units taken from the queue
   * @returns the outcome of each of them
   */
  async function runUnits(connection: Tx, units: Waiting[]): Promise<Outcome[]> {
    const since = clock.monotonic();
    const workMs = Math.min(Math.max(minWorkMs, commitMs), maxWorkMs);
    const outcomes: Outcome[] = [];
    let isShared = true;
    control("savepoint unit");
    for (
      let unit = queue.shift();
      unit;
      unit = clock.monotonic() - since < workMs ? queue.shift() : undefined
    ) {
      units.push(unit);
      const outcome = isShared
        ? await outcomeOf(connection, unit)
        : await runAlone(connection, unit);
      if (isShared && "error" in outcome) {
        isShared = false;
        rollBackUnit(outcome.error);
        for (const [i, before] of units.slice(0, -1).entries())
          outcomes[i] = await runAlone(connection, before);
      }
      outcomes.push(outcome);
    }
    if (isShared) control("release unit");
    return outcomes;
  }

  async function runAlone(connection: Tx, unit: Waiting): Promise<Outcome> {
    control("savepoint unit");
    const outcome = await outcomeOf(connection, unit);
    if ("error" in outcome) rollBackUnit(outcome.error);
    else control("release unit");
    return outcome;
  }

  /**
   * @throws `cause` when SQLite has rolled back the whole transaction by itself (disk full, I/O
   *   error), so that no unit in it is kept
   */
  function rollBackUnit(cause: unknown): void {
    try {
      control("rollback to unit");
      control("release unit");
    } catch {
      throw cause;
    }
  }

  /** Ignores the error when SQLite has already rolled back by itself. */
  function undo(): void {
    try {
      control("rollback");
    } catch {}
  }

  async function pump(): Promise<void> {
    let busyMs = 0;
    while (queue.length > 0) {
      busyMs = (await commitSome()) ? 0 : Math.min(Math.max(1, busyMs * 2), maxBusyMs);
      await (busyMs > 0 ? sleep(busyMs) : nextTurn());
    }
    pumping = false;
  }

  return function write<T>(unit: (tx: Tx) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      queue.push({
        since: clock.monotonic(),
        run: unit,
        done: (value) => resolve(value as T),
        failed: reject,
      });
      if (pumping) return;
      pumping = true;
      setImmediate(() => void pump());
    });
  };
}
