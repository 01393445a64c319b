import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { backup, DatabaseSync } from "node:sqlite";
import { sql } from "kysely";
import { Migrator } from "kysely/migration";
import { migrationsFor } from "./migrations/index.ts";
import type { Store } from "./store.ts";

/** A sentence for whoever starts the server. */
export class StartError extends Error {
  override readonly name = "StartError";
}

/** Every migration that this program knows, in order. */
export const migrationNames = Object.keys(migrationsFor("sqlite")).sort();

/**
 * Brings the database to this program's schema; every migration is in a transaction, servers that start together take turns.
 * Before a change an embedded database is copied to backups/ beside it.
 * @throws StartError when the database is newer than the program.
 * @returns the path of the copy, when there was something to copy
 */
export async function migrate(
  store: Store,
  now: number,
  known = migrationsFor(store.engine),
): Promise<{ copiedTo?: string }> {
  const latest = Object.keys(known).sort().at(-1)!;
  const applied = await appliedMigrations(store);
  const unknown = applied.filter((name) => !(name in known));
  if (unknown.length > 0)
    throw new StartError(
      `This database was made by a newer Bottega (it has "${unknown.at(-1)}", this program knows up to "${latest}"). Update the program, or restore a backup of the database.`,
    );
  if (applied.includes(latest)) return {};
  const copiedTo =
    applied.length > 0 && store.file ? await copy(store.file, applied.at(-1)!, now) : undefined;
  const migrator = new Migrator({ db: store.db, provider: { getMigrations: async () => known } });
  const { error } = await migrator.migrateToLatest();
  if (error) throw error;
  return { copiedTo };
}

/** Brings an empty database to the schema that a backup was made in; `migrate` does the rest. @throws StartError for a schema of a newer program */
export async function migrateTo(
  store: Store,
  name: string,
  known = migrationsFor(store.engine),
): Promise<void> {
  if (!(name in known))
    throw new StartError(
      `This backup was made by a newer Bottega (its database has "${name}"). Update the program.`,
    );
  const { error } = await new Migrator({
    db: store.db,
    provider: { getMigrations: async () => known },
  }).migrateTo(name);
  if (error) throw error;
}

/** @returns the names in order; none in an empty database */
export async function appliedMigrations(store: Pick<Store, "engine" | "read">): Promise<string[]> {
  const table =
    store.engine === "sqlite"
      ? sql`select 1 from sqlite_master where type = 'table' and name = 'kysely_migration'`
      : sql`select 1 where to_regclass('kysely_migration') is not null`;
  if ((await table.execute(store.read)).rows.length === 0) return [];
  const rows = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(
    store.read,
  );
  return rows.rows.map((row) => row.name);
}

async function copy(file: string, migration: string, now: number): Promise<string> {
  const target = join(
    dirname(file),
    "backups",
    `${migration}-${new Date(now).toISOString().replaceAll(":", "")}.db`,
  );
  await mkdir(dirname(target), { recursive: true });
  const source = new DatabaseSync(file, { readOnly: true });
  try {
    await backup(source, target);
  } finally {
    source.close();
  }
  return target;
}
