import { setImmediate as nextTurn } from "node:timers/promises";
import type { ArchiveRows, ArchiveTable } from "#contract/archive.ts";
import { Problem } from "#contract/errors.ts";
import { limits } from "#contract/limits.ts";
import type { JsonResults } from "../threads/json/read-json.ts";
import { type Archive, changedArchive } from "./open-archive.ts";
import { hashing, readLines } from "./read-entry.ts";

/** Rows between two yields to the event loop. */
const rowsInTurn = 100;

/**
 * Yields every row of a table, checked against its schema, and finally checks the table against the
 * manifest.
 * @throws Problem unsupported_media with the number of the wrong line
 */
export async function* readTable<T extends ArchiveTable>(
  archive: Archive,
  table: T,
): AsyncGenerator<ArchiveRows[T], void, undefined> {
  const manifestTable = archive.manifest.tables.find(({ name }) => name === table)!;
  const { bytes, digest } = hashing(await archive.read(`${table}.jsonl`));
  let rows = 0;
  for await (const line of readLines(bytes, limits.archiveLineBytes)) {
    rows += 1;
    if (rows > manifestTable.rows) break;
    yield await parseRow(archive, table, line, rows);
    if (rows % rowsInTurn === 0) await nextTurn();
  }
  if (rows !== manifestTable.rows || digest() !== manifestTable.sha256)
    throw changedArchive(`${table}.jsonl is another one than its manifest tells of`);
}

async function parseRow<T extends ArchiveTable>(
  { json }: Archive,
  table: T,
  bytes: Uint8Array<ArrayBuffer>,
  number: number,
): Promise<ArchiveRows[T]> {
  let read: JsonResults["row"];
  try {
    read = await json.read({ as: "row", table, bytes });
  } catch (cause) {
    if (cause instanceof Problem && cause.code === "unavailable") throw cause;
    throw changedArchive(`line ${number} of ${table}.jsonl is no row`);
  }
  if ("row" in read) return read.row as ArchiveRows[T];
  throw changedArchive(`line ${number} of ${table}.jsonl has something wrong in “${read.wrong}”`);
}

/** Groups rows for units of bounded size. */
export async function* inParts<T>(
  rows: AsyncIterable<T>,
  size: number,
): AsyncGenerator<T[], void, undefined> {
  let part: T[] = [];
  for await (const row of rows) {
    part.push(row);
    if (part.length < size) continue;
    yield part;
    part = [];
  }
  if (part.length > 0) yield part;
}
