import { join } from "node:path";
import { onTestFinished } from "vitest";
import { openPostgres } from "#store/postgres.ts";
import { openSqlite } from "#store/sqlite.ts";
import type { Store } from "#store/store.ts";
import type { TestDatabase } from "./databases.ts";

/** The store alone over a test's database, without a schema; closed with the test. */
export function openTestStore(database: TestDatabase, clock: { monotonic(): number } = { monotonic: () => performance.now() }): Store {
  const store = database.databaseUrl
    ? openPostgres(database.databaseUrl, () => undefined)
    : openSqlite(join(database.dataFolder, "bottega.db"), clock);
  onTestFinished(() => store.close());
  return store;
}
