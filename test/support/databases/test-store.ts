import { join } from "node:path";
import { sql } from "kysely";
import { onTestFinished } from "vitest";
import { openPostgres } from "#store/database/postgres.ts";
import { openSqlite } from "#store/database/sqlite.ts";
import type { Store } from "#store/database/store.ts";
import type { TestDatabase } from "./databases.ts";

type MonotonicClock = { monotonic(): number };

/** Opens only the store of a test's database, without a schema. */
export function openStore(
  database: TestDatabase,
  clock: MonotonicClock = { monotonic: () => performance.now() },
): Store {
  return database.databaseUrl
    ? openPostgres(database.databaseUrl, () => undefined)
    : openSqlite(join(database.dataFolder, "bottega.db"), clock);
}

/** Opens the store and closes it with the test. */
export function openTestStore(database: TestDatabase, clock?: MonotonicClock): Store {
  const store = openStore(database, clock);
  onTestFinished(() => store.close());
  return store;
}

const waiting = sql<{ n: number }>`select count(*) as n from pg_locks
  where not granted and pid in (select pid from pg_stat_activity where datname = current_database())`;
/** Whether a transaction of this PostgreSQL database waits for another's lock. */
export const isAnyoneWaiting = async (store: Store): Promise<boolean> =>
  (await waiting.execute(store.db)).rows[0]!.n > 0;
