import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { describe } from "vitest";
import { askRun } from "../contracts/run-context.ts";
import { createTempFolder } from "../temp.ts";

/** The storage of a server or store under test. */
export type TestDatabase = {
  /** A PostgreSQL URL, or null for the embedded SQLite file in `dataFolder`. */
  databaseUrl: string | null;
  /** An empty folder for BOTTEGA_DATA. */
  dataFolder: string;
  /** The database and folder as a server process's settings. */
  env: { BOTTEGA_DATA: string; DATABASE_URL?: string };
};

export type DatabaseName = "sqlite" | "postgres";

/** This run's databases: `npm test` names PostgreSQL in TESTS_WITHOUT if none starts. */
export const databaseNames: readonly DatabaseName[] = process.env.TESTS_WITHOUT?.includes(
  "postgres",
)
  ? ["sqlite"]
  : ["sqlite", "postgres"];

/**
 * Creates a fresh PostgreSQL database without a schema on the run's own cluster, and returns its
 * URL.
 */
export const createPostgresDatabase = (): Promise<string> => askRun("database");

/** Requested once per process. */
let migratedFile: Promise<string> | undefined;

function placeOf(dataFolder: string, databaseUrl: string | null): TestDatabase {
  const env = { BOTTEGA_DATA: dataFolder, ...(databaseUrl && { DATABASE_URL: databaseUrl }) };
  return { databaseUrl, dataFolder, env };
}

/** Creates a fresh database of either kind without a schema, with its own data folder. */
export async function createEmptyDatabase(name: DatabaseName): Promise<TestDatabase> {
  return placeOf(createTempFolder(name), name === "sqlite" ? null : await createPostgresDatabase());
}

/**
 * Creates a database with the newest schema and no rows. It is a copy, because creating every table
 * takes longer than many tests.
 */
export async function createTestDatabase(name: DatabaseName): Promise<TestDatabase> {
  const dataFolder = createTempFolder(name);
  if (name === "postgres") return placeOf(dataFolder, await askRun("migrated-database"));
  migratedFile ??= askRun("migrated-file");
  await copyFile(await migratedFile, join(dataFolder, "bottega.db"));
  return placeOf(dataFolder, null);
}

type Define = (name: DatabaseName, create: () => Promise<TestDatabase>) => void;

/**
 * Defines the same tests once for each database.
 *
 *     forEachDatabase((name, create) => {
 *       it("a committed run exists after kill -9", async () => {
 *         const database = await create();
 */
export function forEachDatabase(define: Define): void {
  for (const name of databaseNames)
    describe(name, () => define(name, () => createTestDatabase(name)));
}

/**
 * Defines tests that aren't about the database, such as those of a protocol, a provider or an
 * archive, only on SQLite.
 */
export function onSqlite(define: (create: () => Promise<TestDatabase>) => void): void {
  define(() => createTestDatabase("sqlite"));
}

/**
 * Defines the same tests once for each database without a schema: starts, migrations and restores.
 */
export function forEachEmptyDatabase(define: Define): void {
  for (const name of databaseNames)
    describe(name, () => define(name, () => createEmptyDatabase(name)));
}
