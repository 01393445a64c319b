import { describe } from "vitest";
import { askRun } from "../contracts/run-context.ts";
import { createTempFolder } from "../temp.ts";

/** Where a server or a store under test keeps what it remembers. */
export type TestDatabase = {
  /** A PostgreSQL URL, or null for the embedded SQLite file in `dataFolder`. */
  databaseUrl: string | null;
  /** An empty folder for BOTTEGA_DATA. */
  dataFolder: string;
  /** The same as settings of a server process. */
  env: { BOTTEGA_DATA: string; DATABASE_URL?: string };
};

export type DatabaseName = "sqlite" | "postgres";

/** The databases of this run: `npm test` names PostgreSQL in TESTS_WITHOUT where none starts. */
export const databaseNames: readonly DatabaseName[] = process.env.TESTS_WITHOUT?.includes(
  "postgres",
)
  ? ["sqlite"]
  : ["sqlite", "postgres"];

/** A fresh PostgreSQL database on the run's own cluster: its URL. */
export const createPostgresDatabase = (): Promise<string> => askRun("database");

/** A fresh database of either kind with a data folder of its own. */
export async function createTestDatabase(name: DatabaseName): Promise<TestDatabase> {
  const dataFolder = createTempFolder(name);
  if (name === "sqlite")
    return { databaseUrl: null, dataFolder, env: { BOTTEGA_DATA: dataFolder } };
  const databaseUrl = await createPostgresDatabase();
  return { databaseUrl, dataFolder, env: { BOTTEGA_DATA: dataFolder, DATABASE_URL: databaseUrl } };
}

/**
 * Defines the same tests once for each database.
 *
 *     forEachDatabase((name, create) => {
 *       it("a committed run is there after kill -9", async () => {
 *         const database = await create();
 */
export function forEachDatabase(
  define: (name: DatabaseName, create: () => Promise<TestDatabase>) => void,
): void {
  for (const name of databaseNames)
    describe(name, () => define(name, () => createTestDatabase(name)));
}
