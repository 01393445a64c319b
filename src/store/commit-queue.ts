import type { Kysely } from "kysely";
import type { Database } from "./schema.ts";
import type { Tx } from "./store.ts";

/** What opens, closes and undoes; told apart from queries, for each runs several times a unit. */
export const controls = ["begin immediate", "commit", "rollback", "savepoint unit", "release unit", "rollback to unit"] as const;
export type Control = (typeof controls)[number];
type Waiting = { run(tx: Tx): Promise<unknown>; done(value: unknown): void; failed(error: unknown): void };

/** A transaction takes waiting units for at least so long: at 1 ms each answer of 200 at once paid 0.6 ms for commits. */
const workLeastMs = 4;
/** A transaction works no longer than this before the loop has its turn, however slow the last commit was. */
const workMostMs = 20;
/** How long another process may hold the file (a backup tool, a person's shell) before a unit fails. */
const busyLimitMs = 30_000;
const isBusy = (error: unknown): boolean => error instanceof Error && "errcode" in error && (Number(error.errcode) & 0xff) === 5;

/**
 * Group commit for the one writer that SQLite has. A transaction takes waiting units, each in its own savepoint, until it
 * has worked for as long as the last commit took (4 to 20 ms), commits, tells them, and gives the connection and the
 * event loop back. A unit that throws is rolled back alone; a commit that fails fails every unit in it.
 */
export function createCommitQueue(db: Kysely<Database>, control: (statement: Control) => void, clock: { monotonic(): number }) {
  const queue: Waiting[] = [];
  let pumping = false;
  let commitMs = 1;

  async function commitSome(): Promise<void> {
    const units: Waiting[] = [];
    const tellings: (() => void)[] = [];
    let began = false;
    try {
      await db.connection().execute(async (connection) => {
        await begin();
        began = true;
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
      for (const unit of units) unit.failed(error);
      if (!began) queue.shift()?.failed(error);
    }
  }

  /** @throws when SQLite has rolled back everything by itself (disk full, I/O error): then no unit of the transaction is kept */
  async function runUnit(connection: Kysely<Database>, unit: Waiting): Promise<() => void> {
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

  async function begin(): Promise<void> {
    const since = clock.monotonic();
    for (let waitMs = 1; ; waitMs = Math.min(waitMs * 2, 50)) {
      try {
        control("begin immediate");
        return;
      } catch (error) {
        if (!isBusy(error) || clock.monotonic() - since > busyLimitMs) throw error;
        await new Promise((resolve) => setTimeout(resolve, waitMs));
      }
    }
  }

  async function pump(): Promise<void> {
    while (queue.length > 0) {
      await commitSome();
      await new Promise((resolve) => setImmediate(resolve));
    }
    pumping = false;
  }

  return function write<T>(unit: (tx: Tx) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      queue.push({ run: unit, done: (value) => resolve(value as T), failed: reject });
      if (pumping) return;
      pumping = true;
      setImmediate(() => void pump());
    });
  };
}
