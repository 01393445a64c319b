import { join } from "node:path";
import { migrate } from "#store/database/migrate.ts";
import { openPostgres } from "#store/database/postgres.ts";
import { openSqlite } from "#store/database/sqlite.ts";
import type { Store } from "#store/database/store.ts";
import type { PostgresCluster } from "./postgres.ts";

async function bringSchema(store: Store): Promise<void> {
  try {
    await migrate(store, 0);
  } finally {
    await store.close();
  }
}

/**
 * Creates the newest schema once per test run, when it is first needed; every other database is a
 * copy.
 */
export function createMigratedDatabases({
  folder,
  openCluster,
}: {
  folder: string;
  openCluster: () => Promise<PostgresCluster>;
}) {
  let file: Promise<string> | undefined;
  let template: Promise<string> | undefined;

  async function makeFile(): Promise<string> {
    const path = join(folder, "migrated.db");
    await bringSchema(openSqlite(path, { monotonic: () => performance.now() }));
    return path;
  }

  async function makeTemplate(): Promise<string> {
    const url = await (await openCluster()).createDatabase();
    await bringSchema(openPostgres(url, () => undefined));
    return new URL(url).pathname.slice(1);
  }

  return {
    /** The path of an SQLite file that no process has open. */
    file: (): Promise<string> => (file ??= makeFile()),
    /** The URL of a fresh PostgreSQL database. */
    async createDatabase(): Promise<string> {
      template ??= makeTemplate();
      return (await openCluster()).createDatabase(await template);
    },
  };
}
