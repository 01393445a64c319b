import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gunzipSync } from "node:zlib";
import pg from "pg";
import { readZip } from "../read-zip.ts";
import { createTempFolder } from "../temp.ts";
import { createEmptyDatabase, type DatabaseName, type TestDatabase } from "./databases.ts";

/**
 * Releases with stored databases, each made by that release's own server, which was killed in the
 * middle of its work.
 */
const root = join(import.meta.dirname, "../../stored");
export const storedReleases = readdirSync(root);

/** Unpacks a release's backup of its database, key and files into a folder. */
export async function unpackBackup(release: string, engine: DatabaseName): Promise<string> {
  const folder = createTempFolder("stored");
  for (const [path, bytes] of await readZip(readFileSync(join(root, release, `${engine}.zip`)))) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), bytes);
  }
  return folder;
}

/**
 * A release's database as a server would find it: the backed-up file, or the dump restored in
 * PostgreSQL.
 */
export async function openStored(release: string, engine: DatabaseName): Promise<TestDatabase> {
  const database = await createEmptyDatabase(engine);
  if (database.databaseUrl === null) {
    const folder = await unpackBackup(release, engine);
    const { database: of } = JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8"));
    writeFileSync(
      join(database.dataFolder, "bottega.db"),
      readFileSync(join(folder, of.file.path)),
    );
    return database;
  }
  const client = new pg.Client({ connectionString: database.databaseUrl });
  await client.connect();
  await client.query(gunzipSync(readFileSync(join(root, release, "postgres.sql.gz"))).toString());
  await client.end();
  return database;
}
