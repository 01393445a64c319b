import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { sql } from "kysely";
import type { Clock } from "#domain/runs/ids.ts";
import { isTransient } from "#engine/persist.ts";
import type { Settings } from "#server/settings.ts";
import { migrate, StartError } from "#store/database/migrate.ts";
import { openSqlite, openSqliteReader } from "#store/database/sqlite.ts";
import type { Store } from "#store/database/store.ts";

/** Opened by both the server and the commands. */

export const clock: Clock = { now: () => Date.now(), monotonic: () => performance.now() };
export const root = join(import.meta.dirname, "..");
export const programVersion = (
  JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string }
).version;

export const databaseFile = (dataFolder: string): string => join(dataFolder, "bottega.db");

/** The database with its current schema. */
export const openDatabase = async (
  settings: Settings,
  onError: (error: Error) => void,
): Promise<Store> =>
  settings.databaseUrl
    ? openPostgres(settings.databaseUrl, onError)
    : openSqlite(databaseFile(settings.dataFolder), clock);

/** Loads PostgreSQL's driver only if it is used; a server on SQLite starts without it. */
async function openPostgres(url: string, onError: (error: Error) => void): Promise<Store> {
  const postgres = await import("#store/database/postgres.ts");
  return postgres.openPostgres(url, onError);
}

/**
 * @throws StartError with a sentence for errors of PostgreSQL or of SQLite's disk; all others pass
 *   through
 */
export function orUnreachable(settings: Settings) {
  return (cause: unknown): never => {
    if (cause instanceof StartError) throw cause;
    if (!settings.databaseUrl && !isTransient(cause)) throw cause;
    if (!settings.databaseUrl)
      throw new StartError(
        `The database in ${settings.dataFolder} can't be used (${cause instanceof Error ? cause.message : cause}). See that its disk has room and works, then start again.`,
        { cause },
      );
    throw new StartError(
      `The database can't be used (${cause instanceof Error ? cause.message || ("code" in cause ? cause.code : "") : cause}). Check DATABASE_URL, and that PostgreSQL is running.`,
      { cause },
    );
  };
}

/**
 * Opens a database for reading while a server may be working on it.
 * @throws StartError if there is none
 */
export async function openReader(
  settings: Settings,
): Promise<Pick<Store, "engine" | "read" | "close">> {
  if (settings.databaseUrl) {
    const store = await openPostgres(settings.databaseUrl, () => undefined);
    await sql`select 1`.execute(store.read).catch(orUnreachable(settings));
    return store;
  }
  const file = databaseFile(settings.dataFolder);
  if (!existsSync(file))
    throw new StartError(
      `There is no database in ${settings.dataFolder}. Name the data folder with --data-folder, or in BOTTEGA_DATA.`,
    );
  return { engine: "sqlite", ...openSqliteReader(file) };
}

/**
 * Opens a database for a repairing command, whose units wait for their turn between the server's.
 */
export async function openMender(settings: Settings): Promise<Store> {
  await (await openReader(settings)).close();
  return openDatabase(settings, () => undefined);
}

/** The database in this program's schema. */
export async function openStore(
  settings: Settings,
  onError: (error: Error) => void,
): Promise<Store> {
  const open = async () => {
    const store = await openDatabase(settings, onError);
    return { store, ...(await migrate(store, clock.now())) };
  };
  const { store, copiedTo, keptWhole } = await open().catch(orUnreachable(settings));
  if (copiedTo)
    console.log(`The database was copied to ${copiedTo} before it was brought up to date.`);
  if (keptWhole)
    console.log(
      `The database file can't give the space of deleted rows back, because it could not be rewritten (${keptWhole}). Bottega uses that space for new rows.`,
    );
  return store;
}
