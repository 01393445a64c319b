import type { ExpressionBuilder } from "kysely";
import { cleanText } from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import { sentences } from "#contract/sentences/index.ts";
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

/** No living asset names it, and no import. */
const isUnneeded = (e: ExpressionBuilder<Database, "blob">) =>
  e.and([
    e.not(
      e.exists(
        e
          .selectFrom("asset")
          .select("asset.id")
          .whereRef("asset.blob_sha256", "=", "blob.sha256")
          .where("asset.deleted_at", "is", null),
      ),
    ),
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

/**
 * Marks what no living asset or import needs and nobody has touched since `before`; also what a dead process left marked. Nobody
 * else gets the same: a second one could take away bytes that have come again.
 */
export async function markUnneededBlobs(
  tx: Tx,
  before: number,
  at: number,
  limit: number,
): Promise<string[]> {
  const rows = await tx
    .selectFrom("blob")
    .select("sha256")
    .forNoKeyUpdate()
    .where("created_at", "<", at - markMs)
    .where((e) => e.or([e("created_at", "<", before), e("state", "=", "deleting")]))
    .where(isUnneeded)
    .orderBy("created_at")
    .limit(limit)
    .execute();
  const hashes = rows.map((row) => row.sha256);
  if (hashes.length > 0)
    await tx
      .updateTable("blob")
      .set({ state: "deleting", created_at: at })
      .where("sha256", "in", hashes)
      .execute();
  return hashes;
}

/**
 * Makes a mark last from now on, just before its bytes go. @returns false when it is another's by now, or the file is needed
 * again: then it is kept
 */
export async function holdMark(
  tx: Tx,
  sha256: string,
  markedAt: number,
  at: number,
): Promise<boolean> {
  const own = () =>
    tx
      .updateTable("blob")
      .set({ created_at: at })
      .where("sha256", "=", sha256)
      .where("state", "=", "deleting")
      .where("created_at", "=", markedAt);
  const held = await own().where(isUnneeded).executeTakeFirst();
  if (held.numUpdatedRows > 0n) return true;
  await own().set({ state: "stored" }).execute();
  return false;
}

/** The row of a file whose bytes are gone. */
export async function removeBlob(tx: Tx, sha256: string): Promise<void> {
  await tx
    .deleteFrom("blob")
    .where("sha256", "=", sha256)
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
