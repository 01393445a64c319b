import { setTimeout as sleep } from "node:timers/promises";
import type { Tx } from "./store.ts";

/** What opens, closes and undoes; told apart from queries, for each runs several times a unit. */
export const controls = ["begin immediate", "commit", "rollback", "savepoint unit", "release unit", "rollback to unit"] as const;
export type Control = (typeof controls)[number];
/** Gives the one connection that writes to `work`, and to nobody else before it has ended. */
export type Connect = (work: (connection: Tx) => Promise<void>) => Promise<void>;
type Waiting = { since: number; run(tx: Tx): Promise<unknown>; done(value: unknown): void; failed(error: unknown): void };

/** A transaction takes waiting units for at least so long: at 1 ms each answer of 200 at once paid 0.6 ms for commits. */
const workLeastMs = 4;
/** A transaction works no longer than this before the loop has its turn, however slow the last commit was. */
const workMostMs = 20;
/** How long another process may hold the file (a backup tool, a person's shell) before a unit fails. */
const busyLimitMs = 30_000;
/** Between two looks whether it has let go; meanwhile the connection is free for reading. */
const busyMostMs = 50;
const isBusy = (error: unknown): boolean => error instanceof Error && "errcode" in error && (Number(error.errcode) & 0xff) === 5;

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * Group commit for the one writer that SQLite has. A transaction takes waiting units, each in its own savepoint, until it
 * has worked for as long as the last commit took (4 to 20 ms), commits, tells them, and gives the connection and the
 * event loop back. A unit that throws is rolled back alone; a commit that fails fails every unit in it.
 */
export function createCommitQueue(connect: Connect, control: (statement: Control) => void, clock: { monotonic(): number }) {
  const queue: Waiting[] = [];
  let pumping = false;
  let commitMs = 1;

  /** @returns false when another process writes just now: then nothing was done */
  async function commitSome(): Promise<boolean> {
    const units: Waiting[] = [];
    const tellings: (() => void)[] = [];
    try {
      await connect(async (connection) => {
        control("begin immediate");
        try {
          const since = clock.monotonic();
          const workMs = Math.min(Math.max(workLeastMs, commitMs), workMostMs);
          for (let unit = queue.shift(); unit; unit = clock.monotonic() - since < workMs ? queue.shift() : undefined) {
            units.push(unit);
            tellings.push(await runUnit(connection, unit));
          }
          const commitAt = clock.monotonic();
          control("commit");
          commitMs = clock.monotonic() - commitAt;
        } catch (error) {
          undo();
          throw error;
        }
      });
      // Failures too: who was refused for what another unit wrote may look for that at once, so it has to be there.
      for (const tell of tellings) tell();
    } catch (error) {
      if (units.length === 0 && isBusy(error)) return waitOrFail(error);
      for (const unit of units) unit.failed(error);
      if (units.length === 0) queue.shift()?.failed(error);
    }
    return true;
  }

  /** Each unit waits for as long as the other process may, and not for those before it to have waited. */
  function waitOrFail(error: unknown): false {
    while (queue[0] && clock.monotonic() - queue[0].since >= busyLimitMs) queue.shift()?.failed(error);
    return false;
  }

  /** @throws when SQLite has rolled back everything by itself (disk full, I/O error): then no unit of the transaction is kept */
  async function runUnit(connection: Tx, unit: Waiting): Promise<() => void> {
    control("savepoint unit");
    try {
      const value = await unit.run(connection);
      control("release unit");
      return () => unit.done(value);
    } catch (error) {
      try {
        control("rollback to unit");
        control("release unit");
      } catch {
        // SQLite has rolled everything back by itself: why it did is what the others are told as well.
        throw error;
      }
      return () => unit.failed(error);
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
      queue.push({ since: clock.monotonic(), run: unit, done: (value) => resolve(value as T), failed: reject });
      if (pumping) return;
      pumping = true;
      setImmediate(() => void pump());
    });
  };
}
