import { fromJson, toJson } from "../database/json.ts";
import type { Reader, Tx } from "../database/store.ts";

/**
 * This database's view of the ownership mark in its file storage. `nonce` is confirmed; `next` is
 * recorded here and may have reached the storage. `prefixes` are those it wrote to while another
 * database owned the files, the current one last.
 */
export type FileOwnerRow = { nonce: string | null; next: string | null; prefixes: string[] };

export async function getFileOwner(db: Reader): Promise<FileOwnerRow> {
  const row = await db
    .selectFrom("instance")
    .select(["files_nonce", "files_next", "files_prefixes"])
    .where("id", "=", 1)
    .executeTakeFirstOrThrow();
  return {
    nonce: row.files_nonce,
    next: row.files_next,
    prefixes: fromJson<string[]>(row.files_prefixes),
  };
}

/**
 * Records the next nonce before the storage has it. A nonce that another server of this database
 * has recorded meanwhile stays.
 */
export async function proposeNonce(tx: Tx, next: string): Promise<void> {
  await tx
    .updateTable("instance")
    .set({ files_next: next })
    .where("id", "=", 1)
    .where("files_next", "is", null)
    .execute();
}

/** Confirms a nonce that the storage has, which replaces the previous one. */
export async function confirmNonce(tx: Tx, nonce: string): Promise<void> {
  await tx
    .updateTable("instance")
    .set({ files_nonce: nonce, files_next: null })
    .where("id", "=", 1)
    .where("files_next", "=", nonce)
    .execute();
}

export async function setFilePrefixes(tx: Tx, prefixes: readonly string[]): Promise<void> {
  await tx
    .updateTable("instance")
    .set({ files_prefixes: toJson(prefixes) })
    .where("id", "=", 1)
    .execute();
}

/** Counts which of these files have a row here. */
export async function countKnownFiles(db: Reader, hashes: readonly string[]): Promise<number> {
  if (hashes.length === 0) return 0;
  const { count } = await db
    .selectFrom("blob")
    .select((e) => e.fn.countAll<number>().as("count"))
    .where("sha256", "in", hashes)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Returns the names of the variants made from a file, across all its assets. */
export async function variantsOf(db: Reader, sha256: string): Promise<string[]> {
  const rows = await db
    .selectFrom("asset")
    .select("variants")
    .where("blob_sha256", "=", sha256)
    .execute();
  return [...new Set(rows.flatMap(({ variants }) => fromJson<string[]>(variants)))];
}
