import { existsSync } from "node:fs";
import { copyFile, open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { sql } from "kysely";
import type { Settings } from "#server/settings.ts";
import { withoutSealed } from "#store/database/copy-sqlite.ts";
import { appliedMigrations, migrateTo } from "#store/database/migrate.ts";
import { openSqlite } from "#store/database/sqlite.ts";
import type { Store } from "#store/database/store.ts";
import { countOthers, emptyPostgres, insertLines } from "#store/database/table-lines.ts";
import { passingTables } from "#store/database/table-list.ts";
import { getInstance } from "#store/people/people.ts";
import { setPlace } from "#store/runs/epoch.ts";
import { clock, databaseFile, openDatabase, orUnreachable } from "../open.ts";
import { noPlace } from "../place.ts";
import { CommandError, type Manifest } from "./backup-format.ts";
import { openTables } from "./backup-tables.ts";

/** Whether no database was ever set up there. */
export async function isEmptyTarget(settings: Settings): Promise<boolean> {
  if (!settings.databaseUrl) return !existsSync(databaseFile(settings.dataFolder));
  const store = await openDatabase(settings, () => undefined);
  try {
    const applied = await appliedMigrations(store).catch(orUnreachable(settings));
    return applied.length === 0 || (await getInstance(store.read)) === undefined;
  } finally {
    await store.close();
  }
}

/**
 * The last step of a restore: before it there is no database, or the old one; after it the restored
 * one.
 */
export async function restoreDatabase(
  settings: Settings,
  folder: string,
  manifest: Manifest,
  options: { replace: boolean; withoutKey: boolean },
): Promise<void> {
  if (settings.databaseUrl) return fillPostgres(settings, folder, manifest, options);
  const target = databaseFile(settings.dataFolder);
  const draft = `${target}.restored`;
  try {
    await removeDatabase(draft);
    await writeDraft(draft, folder, manifest, options);
  } catch (error) {
    await removeDatabase(draft);
    throw error;
  }
  // The replaced database's log would be taken for the new one's.
  await removeLogs(target);
  await rename(draft, target);
}

/** One complete file, durably on the disk. */
async function writeDraft(
  draft: string,
  folder: string,
  manifest: Manifest,
  options: { withoutKey: boolean },
): Promise<void> {
  if (manifest.database.engine === "sqlite") {
    await copyFile(join(folder, manifest.database.file.path), draft);
    if (options.withoutKey) forgetSealed(draft);
  } else await fillSqlite(draft, folder, manifest, options);
  const handle = await open(draft, "r+");
  await handle.sync().finally(() => handle.close());
}

async function removeDatabase(file: string): Promise<void> {
  await rm(file, { force: true });
  await removeLogs(file);
}

async function removeLogs(file: string): Promise<void> {
  for (const end of ["-wal", "-shm", "-journal"]) await rm(`${file}${end}`, { force: true });
}

function forgetSealed(file: string): void {
  const database = new DatabaseSync(file);
  try {
    for (const statement of withoutSealed) database.exec(statement);
  } finally {
    database.close();
  }
}

async function fillSqlite(
  file: string,
  folder: string,
  manifest: Manifest,
  options: { withoutKey: boolean },
): Promise<void> {
  const store = openSqlite(file, clock);
  try {
    await migrateTo(store, manifest.migration);
    await fill(store, folder, manifest, options);
    // Closing does the same but doesn't report failures, and data left only in the log would be
    // lost.
    await sql`pragma wal_checkpoint(truncate)`.execute(store.db);
  } finally {
    await store.close();
  }
}

async function fillPostgres(
  settings: Settings,
  folder: string,
  manifest: Manifest,
  options: { replace: boolean; withoutKey: boolean },
): Promise<void> {
  const store = await openDatabase(settings, () => undefined);
  try {
    if ((await countOthers(store.db)) > 0)
      throw new CommandError(
        "A Bottega is still running on this database. Stop all of its servers first.",
      );
    const applied = await appliedMigrations(store);
    if (applied.length > 0 && applied.at(-1) !== manifest.migration)
      throw new CommandError(
        `The database there has the schema "${applied.at(-1)}", and the backup "${manifest.migration}". Restore into an empty database.`,
      );
    await migrateTo(store, manifest.migration);
    await fill(store, folder, manifest, options);
  } finally {
    await store.close();
  }
}

/** Fills all tables in one unit, so that a partial restore is never visible. */
async function fill(
  store: Store,
  folder: string,
  manifest: Manifest,
  options: { withoutKey: boolean },
): Promise<void> {
  const tables = openTables(folder, manifest.database);
  const counted =
    manifest.database.engine === "postgres"
      ? new Map(manifest.database.tables.map(({ table, rows }) => [table, rows]))
      : undefined;
  try {
    const present = await tables.tables();
    await store.write(async (tx) => {
      if (store.engine === "postgres") await emptyPostgres(tx, [...present, ...passingTables]);
      for (const table of present) {
        const rows = await insertLines(tx, store.engine, table, tables.lines(table));
        if (counted && counted.get(table) !== rows)
          throw new CommandError(
            `The backup is damaged: "${table}" has ${rows} rows. Nothing was restored.`,
          );
      }
      await setPlace(tx, noPlace);
      if (options.withoutKey)
        for (const statement of withoutSealed) await sql.raw(statement).execute(tx);
    });
  } finally {
    await tables.close();
  }
}
