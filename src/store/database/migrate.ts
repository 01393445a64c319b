import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { backup, DatabaseSync } from "node:sqlite";
import { sql } from "kysely";
import { type Migration, type MigrationResultSet, Migrator } from "kysely/migration";
import { chainFor, isOfChain, migrationsFor } from "./migrations/index.ts";
import type { Store } from "./store.ts";

/** The message is a sentence for the person who starts the server. */
export class StartError extends Error {
  override readonly name = "StartError";
}

/** The migrations that an up-to-date database has applied, in order. */
export const migrationNames = Object.keys(migrationsFor("sqlite")).sort();

/**
 * Migrates the database to this program's schema, or leaves it unchanged; servers that start
 * together take turns. An embedded database is first copied to backups/ in its folder.
 * @throws StartError when the database is newer than the program
 * @returns the path of the copy, when one was made; and the reason why an older version's file
 *   could not be vacuumed
 */
export async function migrate(
  store: Store,
  now: number,
  known = migrationsFor(store.engine),
): Promise<{ copiedTo?: string; keptWhole?: string }> {
  const latest = Object.keys(known).sort().at(-1)!;
  const applied = await appliedMigrations(store);
  const old = chainFor(store.engine);
  const unknown = applied.filter((name) => !(name in known || name in old));
  if (unknown.length > 0)
    throw new StartError(
      `This database was made by a newer Bottega (it has "${unknown.at(-1)}", this program knows up to "${latest}"). Update the program, or restore a backup of the database.`,
    );
  if (Object.keys(known).every((name) => applied.includes(name))) return {};
  const copiedTo =
    applied.length > 0 && store.file ? await copy(store.file, applied.at(-1)!, now) : undefined;
  if (isOfChain(applied)) await passChain(store, old);
  await apply(store, known, (migrator) => migrator.migrateToLatest());
  const keptWhole = store.engine === "sqlite" ? await allowRelease(store) : undefined;
  return { copiedTo, keptWhole };
}

/**
 * Vacuums the file of an older version once, without which it can't release space. When the disk
 * lacks the room for that, the file stays as it is, and later rows reuse its free space.
 * @returns the reason why it failed
 */
async function allowRelease({ db }: Store): Promise<string | undefined> {
  const mode = await sql<{ auto_vacuum: number }>`pragma auto_vacuum`.execute(db);
  if (mode.rows[0]?.auto_vacuum !== 0) return undefined;
  await sql`pragma auto_vacuum = incremental`.execute(db);
  return sql`vacuum`.execute(db).then(
    () => undefined,
    (error) => String(error),
  );
}

/**
 * Migrates an empty database to the schema that a backup was made in; `migrate` does the rest.
 * @throws StartError for a schema of a newer program
 */
export async function migrateTo(
  store: Store,
  name: string,
  known = migrationsFor(store.engine),
): Promise<void> {
  const old = chainFor(store.engine);
  if (!(name in known || name in old))
    throw new StartError(
      `This backup was made by a newer Bottega (its database has "${name}"). Update the program.`,
    );
  await apply(store, isOfChain([name]) ? old : known, (migrator) => migrator.migrateTo(name));
}

/** Migrates a database of 0.1 to the schema of 0.2.0. Another server may have done it first. */
async function passChain(store: Store, old: Record<string, Migration>): Promise<void> {
  // SQLite disables foreign keys only outside of transactions.
  if (store.engine === "sqlite") await sql`pragma foreign_keys = off`.execute(store.db);
  try {
    await apply(store, old, (migrator) => migrator.migrateToLatest());
  } catch (error) {
    if (isOfChain(await appliedMigrations(store))) throw error;
  } finally {
    if (store.engine === "sqlite") await sql`pragma foreign_keys = on`.execute(store.db);
  }
}

async function apply(
  { db }: Store,
  known: Record<string, Migration>,
  work: (migrator: Migrator) => Promise<MigrationResultSet>,
): Promise<void> {
  // A database of a build between two releases may lack a migration before its last one.
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => known },
    allowUnorderedMigrations: true,
  });
  const { error } = await work(migrator);
  if (error) throw error;
}

/** @returns the names in order; none for an empty database */
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
