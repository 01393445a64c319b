import type { ExpressionBuilder } from "kysely";
import { cleanText } from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import { sentences } from "#contract/sentences/index.ts";
import { isOneOf } from "../database/is-one-of.ts";
import { toJson } from "../database/json.ts";
import type { Database } from "../database/schema.ts";
import type { Tx } from "../database/store.ts";

/** A stored file that nothing needs is first `deleting`, then its bytes go, then its row: a newcomer with equal bytes can see it. */
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

/** The bytes of a file are being deleted, or are gone: they have to be stored again before an asset may name them. */
export class FileLeaving extends Problem {
  constructor() {
    super("unavailable", { message: sentences.files.removedWhileSaving });
  }
}

/** In the unit that makes an asset of a file: from here on it is needed. @throws FileLeaving */
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

/** No living asset names it, and no import. */
const isUnneeded = (e: Blobs) =>
  e.and([
    e.not(hasAsset(e)),
    // What an import has brought has no asset before its last unit.
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

/** How long a mark belongs to its collector. Then the collector counts as dead and another one continues. */
const markMs = 5 * 60_000;

/** A file's place in the order in which the collector looks at them. */
type Place = { createdAt: number; sha256: string };

/**
 * Looks at the next files that nobody has touched since `before`, also at what a dead process left marked. Marks those that no living
 * asset or import needs: nobody else gets the same, for a second one could delete bytes that have come again. A file that an asset
 * needs is looked at once; the end of that asset puts it back (`releaseBlobs`), so that a look costs nothing for the files that stay.
 * @returns the marked ones, and where the next look begins; without `last` this was the end
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
  // Statements of their own: now that the rows are locked, they see the end of an asset that waited for nothing.
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

/** In the unit that ends assets of these files: the collector looks again whether something needs them. */
export async function releaseBlobs(tx: Tx, hashes: Iterable<string>): Promise<void> {
  // One by one in order, as everything that takes several does; each also where it is unchecked, for a collector may be looking at it.
  for (const sha256 of [...new Set(hashes)].sort())
    await tx.updateTable("blob").set({ needed_at: null }).where("sha256", "=", sha256).execute();
}

/**
 * Makes marks last from now on, just before their bytes go. @returns those that are still this collector's; a file that is needed
 * again is kept
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
  // Where no time has passed, the mark of a held one is what it was.
  await own()
    .set({ state: "stored" })
    .where((e) => e.not(isUnneeded(e)))
    .execute();
  return held.map(({ sha256 }) => sha256);
}

/** The rows of files whose bytes are gone. */
export async function removeBlobs(tx: Tx, hashes: readonly string[]): Promise<void> {
  await tx
    .deleteFrom("blob")
    .where(isOneOf(tx, "sha256", toJson(hashes)))
    .where("state", "=", "deleting")
    .execute();
}

/** Gives a file without a row one, so that it is collected like any other: only on a person's word, for another database may need it. */
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
