import type { ExpressionBuilder } from "kysely";
import { cleanText } from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import { sentences } from "#contract/sentences/index.ts";
import { isOneOf } from "../database/is-one-of.ts";
import { toJson } from "../database/json.ts";
import type { Database } from "../database/schema.ts";
import type { Tx } from "../database/store.ts";

/**
 * Records a file's row. An unneeded file is first marked `deleting`, then its bytes are deleted,
 * then its row, so that a new file with equal bytes notices the deletion.
 */
export async function touchBlob(
  tx: Tx,
  blob: { sha256: string; bytes: number; mime: string; at: number },
): Promise<"kept" | "deleting"> {
  await tx
    .insertInto("blob")
    .values({
      sha256: blob.sha256,
      bytes: blob.bytes,
      mime: cleanText(blob.mime),
      state: "stored",
      created_at: blob.at,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const row = await tx
    .selectFrom("blob")
    .select("state")
    .where("sha256", "=", blob.sha256)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (row?.state === "deleting") return "deleting";
  await tx
    .updateTable("blob")
    .set({ created_at: blob.at })
    .where("sha256", "=", blob.sha256)
    .execute();
  return "kept";
}

/**
 * The bytes of a file are being deleted, or are gone: they have to be stored again before an asset
 * may refer to them.
 */
export class FileLeaving extends Problem {
  constructor() {
    super("unavailable", { message: sentences.files.removedWhileSaving });
  }
}

/**
 * Marks a file as needed, in the unit that creates an asset of it.
 * @throws FileLeaving
 */
export async function claimBlob(tx: Tx, sha256: string, at: number): Promise<void> {
  const claimed = await tx
    .updateTable("blob")
    .set({ created_at: at })
    .where("sha256", "=", sha256)
    .where("state", "=", "stored")
    .executeTakeFirst();
  if (claimed.numUpdatedRows === 0n) throw new FileLeaving();
}

type Blobs = ExpressionBuilder<Database, "blob">;

const hasAsset = (e: Blobs) =>
  e.exists(
    e
      .selectFrom("asset")
      .select("asset.id")
      .whereRef("asset.blob_sha256", "=", "blob.sha256")
      .where("asset.deleted_at", "is", null),
  );

/** No live asset refers to it, and no import does. */
const isUnneeded = (e: Blobs) =>
  e.and([
    e.not(hasAsset(e)),
    // An import's files have no assets before its last unit.
    e.not(
      e.exists(
        e
          .selectFrom("import_file")
          .select("sha256")
          .whereRef("import_file.sha256", "=", "blob.sha256"),
      ),
    ),
    e.not(
      e.exists(
        e
          .selectFrom("project_import")
          .select("id")
          .whereRef("project_import.blob_sha256", "=", "blob.sha256")
          .where("cleaned_at", "is", null),
      ),
    ),
  ]);

/**
 * How long a mark belongs to its collector. After that the collector counts as dead, and another
 * one continues.
 */
const markMs = 5 * 60_000;

/** A file's position in the order in which the collector checks files. */
type Place = { createdAt: number; sha256: string };

/**
 * Checks the next files that nobody has touched since `before`, including those a dead process left
 * marked, and marks those that no live asset or import needs. Each mark belongs to one caller,
 * because a second one could delete bytes that were stored again. A file that an asset needs is
 * checked once; deleting that asset queues it again (`releaseBlobs`), so that files that stay cost
 * nothing.
 * @returns the marked files, and where to continue; no `last` means the end was reached
 */
export async function markUnneededBlobs(
  tx: Tx,
  look: { before: number; at: number; after?: Place | undefined; limit: number },
): Promise<{ marked: string[]; last?: Place }> {
  const { before, at, after, limit } = look;
  let unchecked = tx
    .selectFrom("blob")
    .select(["sha256", "created_at as createdAt"])
    .forNoKeyUpdate()
    .where("needed_at", "is", null)
    .where("created_at", "<", at - markMs)
    .where((e) => e.or([e("created_at", "<", before), e("state", "=", "deleting")]))
    .orderBy("created_at")
    .orderBy("sha256")
    .limit(limit);
  if (after)
    unchecked = unchecked.where((e) =>
      e(e.refTuple("created_at", "sha256"), ">", e.tuple(after.createdAt, after.sha256)),
    );
  const rows = await unchecked.execute();
  const last = rows.length === limit ? rows.at(-1) : undefined;
  if (rows.length === 0) return { marked: [] };
  const hashes = toJson(rows.map(({ sha256 }) => sha256));
  // Separate statements: run after the rows are locked, they see assets that were deleted without
  // waiting for the lock.
  await tx
    .updateTable("blob")
    .set({ needed_at: at })
    .where(isOneOf(tx, "sha256", hashes))
    .where(hasAsset)
    .execute();
  const unneeded = await tx
    .updateTable("blob")
    .set({ state: "deleting", created_at: at })
    .where(isOneOf(tx, "sha256", hashes))
    .where(isUnneeded)
    .returning("sha256")
    .execute();
  return { marked: unneeded.map(({ sha256 }) => sha256), ...(last && { last }) };
}

/** Call in the unit that deletes assets of these files, so that the collector checks them again. */
export async function releaseBlobs(tx: Tx, hashes: Iterable<string>): Promise<void> {
  // In order, like every unit that locks several rows. Unchecked files are included, because a
  // collector may be checking them now.
  for (const sha256 of [...new Set(hashes)].sort())
    await tx.updateTable("blob").set({ needed_at: null }).where("sha256", "=", sha256).execute();
}

/**
 * Renews marks just before the bytes are deleted.
 * @returns the files that still belong to this collector; files that are needed again are kept
 */
export async function holdMarks(
  tx: Tx,
  hashes: readonly string[],
  markedAt: number,
  at: number,
): Promise<string[]> {
  const own = () =>
    tx
      .updateTable("blob")
      .set({ created_at: at })
      .where(isOneOf(tx, "sha256", toJson(hashes)))
      .where("state", "=", "deleting")
      .where("created_at", "=", markedAt);
  const held = await own().where(isUnneeded).returning("sha256").execute();
  // If no time has passed, a renewed mark equals the old one.
  await own()
    .set({ state: "stored" })
    .where((e) => e.not(isUnneeded(e)))
    .execute();
  return held.map(({ sha256 }) => sha256);
}

/** Deletes the rows of files whose bytes are gone. */
export async function removeBlobs(tx: Tx, hashes: readonly string[]): Promise<void> {
  await tx
    .deleteFrom("blob")
    .where(isOneOf(tx, "sha256", toJson(hashes)))
    .where("state", "=", "deleting")
    .execute();
}

/**
 * Gives a stray file a row, so that it is collected like any other. Only at a person's request,
 * because another database may need it.
 */
export async function adoptStrayBlob(
  tx: Tx,
  blob: { sha256: string; bytes: number; at: number },
): Promise<void> {
  await tx
    .insertInto("blob")
    .values({
      sha256: blob.sha256,
      bytes: blob.bytes,
      mime: "application/octet-stream",
      state: "stored",
      created_at: blob.at,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
