import { mkdir, open } from "node:fs/promises";
import { join } from "node:path";
import type { Settings } from "#server/settings.ts";
import { copySqlite } from "#store/database/copy-sqlite.ts";
import { readPostgres, readSqlite, type TableReader } from "#store/database/table-lines.ts";
import { keptTables } from "#store/database/table-list.ts";
import { databaseFile } from "../open.ts";
import { noPlace } from "../place.ts";
import { CommandError, hashFile, type Manifest } from "./backup-format.ts";
import { readLines, writeLines } from "./file-lines.ts";

type DatabaseParts = Manifest["database"];

/** Copies the current database into `<folder>/<name>/` while it is in use. */
export async function copyDatabase(
  settings: Settings,
  folder: string,
  name: string,
): Promise<DatabaseParts> {
  await mkdir(join(folder, name), { mode: 0o700 });
  return settings.databaseUrl
    ? copyTables(settings.databaseUrl, folder, name)
    : copyFile(databaseFile(settings.dataFolder), folder, name);
}

async function copyFile(file: string, folder: string, name: string): Promise<DatabaseParts> {
  const path = join(name, "bottega.db");
  await copySqlite(file, join(folder, path), noPlace);
  const handle = await open(join(folder, path), "r+");
  try {
    await handle.chmod(0o600);
    await handle.sync();
  } finally {
    await handle.close();
  }
  return { engine: "sqlite", file: { path, ...(await hashFile(join(folder, path))) } };
}

async function copyTables(url: string, folder: string, name: string): Promise<DatabaseParts> {
  const reader = await readPostgres(url);
  try {
    const tables: Extract<DatabaseParts, { engine: "postgres" }>["tables"] = [];
    for (const table of await reader.tables()) {
      const path = join(name, `${table}.ndjson`);
      tables.push({ table, path, ...(await writeLines(join(folder, path), reader.lines(table))) });
    }
    return { engine: "postgres", tables };
  } finally {
    await reader.close();
  }
}

/** A backup's tables. */
export function openTables(folder: string, database: DatabaseParts): TableReader {
  if (database.engine === "sqlite") return readSqlite(join(folder, database.file.path));
  return {
    tables: async () =>
      keptTables.filter((table) => database.tables.some((part) => part.table === table)),
    lines(table) {
      const part = database.tables.find((one) => one.table === table);
      if (!part) throw new CommandError(`The backup has no table "${table}".`);
      return readLines(join(folder, part.path));
    },
    close: async () => undefined,
  };
}

/** A file that a database needs, with the names of its derived files. */
export type NeededFile = { bytes: number; variants: Set<string> };

export async function filesOf(tables: TableReader): Promise<Map<string, NeededFile>> {
  const files = new Map<string, NeededFile>();
  for await (const line of tables.lines("blob")) {
    const blob = JSON.parse(line) as { sha256: string; bytes: number; state: string };
    // Nothing needs a file that is being collected.
    if (blob.state === "stored") files.set(blob.sha256, { bytes: blob.bytes, variants: new Set() });
  }
  for await (const line of tables.lines("asset")) {
    const asset = JSON.parse(line) as { blob_sha256: string; variants: string };
    for (const name of JSON.parse(asset.variants) as string[])
      files.get(asset.blob_sha256)?.variants.add(name);
  }
  return files;
}

/** The row that identifies an instance. */
export async function instanceOf(tables: TableReader): Promise<Manifest["instance"]> {
  for await (const line of tables.lines("instance")) {
    const row = JSON.parse(line) as {
      created_at: number;
      epoch: string;
      master_key_check: string | null;
    };
    return { createdAt: row.created_at, epoch: row.epoch, masterKeyCheck: row.master_key_check };
  }
  throw new CommandError("This database has never been used, so there is nothing to back up.");
}
