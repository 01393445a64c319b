import { setImmediate as nextTurn } from "node:timers/promises";
import { type Archived, type ArchiveTable, archiveSchemas } from "#contract/archive.ts";
import { limits } from "#contract/limits.ts";
import { cleanJson } from "#domain/clean-json.ts";
import { type Archive, changedArchive } from "./open-archive.ts";
import { hashing, readLines } from "./read-entry.ts";

/** Others are served between so many rows. */
const rowsInTurn = 100;
/** A result may hold each word of a day's recording with its times. */
const valuesMost = 2_000_000;

/**
 * Every row of a table, held against its schema, and at its end the whole against the manifest.
 * @throws Problem unsupported_media with the line that is wrong
 */
export async function* readTable<T extends ArchiveTable>(archive: Archive, table: T): AsyncGenerator<Archived[T], void, undefined> {
  const told = archive.manifest.tables.find(({ name }) => name === table)!;
  const { bytes, digest } = hashing(await archive.read(`${table}.jsonl`));
  let rows = 0;
  for await (const line of readLines(bytes, limits.archiveLineBytes)) {
    rows += 1;
    if (rows > told.rows) break;
    yield parseRow(table, line, rows);
    if (rows % rowsInTurn === 0) await nextTurn();
  }
  if (rows !== told.rows || digest() !== told.sha256) throw changedArchive(`${table}.jsonl is another one than its manifest tells of`);
}

function parseRow<T extends ArchiveTable>(table: T, line: Buffer, number: number): Archived[T] {
  let value: unknown;
  try {
    value = cleanJson(JSON.parse(line.toString()), valuesMost);
  } catch {
    throw changedArchive(`line ${number} of ${table}.jsonl is no row`);
  }
  const row = archiveSchemas[table].safeParse(value);
  if (row.success) return row.data as Archived[T];
  const [issue] = row.error.issues;
  throw changedArchive(`line ${number} of ${table}.jsonl has something wrong in “${issue?.path.join(".") ?? ""}”`);
}

/** The same in parts, for units that are bounded. */
export async function* inParts<T>(rows: AsyncIterable<T>, size: number): AsyncGenerator<T[], void, undefined> {
  let part: T[] = [];
  for await (const row of rows) {
    part.push(row);
    if (part.length < size) continue;
    yield part;
    part = [];
  }
  if (part.length > 0) yield part;
}
