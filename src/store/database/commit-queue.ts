import { setTimeout as sleep } from "node:timers/promises";
import type { Tx } from "./store.ts";

/** Transaction statements, separate from queries: each runs several times a unit. */
export const controls = [
  "begin immediate",
  "commit",
  "rollback",
  "savepoint unit",
  "release unit",
  "rollback to unit",
] as const;
export type Control = (typeof controls)[number];
/** Gives the one connection that writes to `work`, and to nobody else before it has ended. */
export type Connect = (work: (connection: Tx) => Promise<void>) => Promise<void>;
/** How a unit ended, reported after the commit. */
type Outcome = { value: unknown } | { error: unknown };
type Waiting = {
  since: number;
  run(tx: Tx): Promise<unknown>;
  done(value: unknown): void;
  failed(error: unknown): void;
};

/** A transaction takes waiting units for at least so long: at 1 ms each answer of 200 at once paid 0.6 ms for commits. */
const workLeastMs = 4;
/** A transaction works no longer than this before the loop has its turn, however slow the last commit was. */
const workMostMs = 20;
/** How long another process may hold the file (a backup tool, a person's shell) before a unit fails. */
const busyLimitMs = 30_000;
/** Between two looks whether it has let go; meanwhile the connection is free for reading. */
const busyMostMs = 50;
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
 * Group commit for the one writer that SQLite has. A transaction takes waiting units until it has worked for as long as the last
 * commit took (4 to 20 ms), commits, tells them, and gives the connection and the event loop back. A unit that throws is rolled back
 * alone; a commit that fails fails every unit in it.
 *
 * A savepoint copies each page that changes in it: one for each unit was a sixth of an admission's work. So units share one until one of
 * them throws. What those before it wrote is undone with it: they run again, and from there on each has its own.
 */
export function createCommitQueue(
  connect: Connect,
  control: (statement: Control) => void,
  clock: { monotonic(): number },
) {
  const queue: Waiting[] = [];
  let pumping = false;
  let commitMs = 1;

  /** @returns false when another process writes just now: then nothing was done */
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
      // Failures too: who was refused for what another unit wrote may look for that at once, so it has to be there.
      for (const [i, unit] of units.entries()) tell(unit, outcomes[i]!);
    } catch (error) {
      if (units.length === 0 && isBusy(error)) return waitOrFail(error);
      for (const unit of units) unit.failed(error);
      if (units.length === 0) queue.shift()?.failed(error);
    }
    return true;
  }

  /** Each unit waits for as long as the other process may, and not for those before it to have waited. */
  function waitOrFail(error: unknown): false {
    while (queue[0] && clock.monotonic() - queue[0].since >= busyLimitMs)
      queue.shift()?.failed(error);
    return false;
  }

  /** @param units gets those that it takes from the queue. @returns how each of them ended */
  async function runUnits(connection: Tx, units: Waiting[]): Promise<Outcome[]> {
    const since = clock.monotonic();
    const workMs = Math.min(Math.max(workLeastMs, commitMs), workMostMs);
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

  /** @throws `cause` when SQLite has rolled back everything by itself (disk full, I/O error): then no unit of the transaction is kept */
  function rollBackUnit(cause: unknown): void {
    try {
      control("rollback to unit");
      control("release unit");
    } catch {
      throw cause;
    }
  }

  /** SQLite may have rolled back by itself: then there is nothing to undo. */
  function undo(): void {
    try {
      control("rollback");
    } catch {}
  }

  async function pump(): Promise<void> {
    let busyMs = 0;
    while (queue.length > 0) {
      busyMs = (await commitSome()) ? 0 : Math.min(Math.max(1, busyMs * 2), busyMostMs);
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
