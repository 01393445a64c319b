import type { BlobStore } from "#blobs/blob-store.ts";
import { verifyBlob } from "#blobs/copy.ts";
import type { BlobStorage } from "#blobs/open-storage.ts";
import { graceMs } from "#engine/ingest/store-bytes.ts";
import { namesItsFiles, readOwnership } from "#engine/recover/file-owner.ts";
import {
  type AssetWithoutBlob,
  assetsOf,
  findLostResults,
  hasBlob,
  listAssetsWithoutBlob,
  listBlobs,
} from "#store/checks/checks.ts";
import { adoptStrayBlob, touchBlob } from "#store/content/blobs.ts";
import type { Reader, Store } from "#store/database/store.ts";
import { clock } from "../open.ts";
import { atOnce } from "./at-once.ts";
import type { Finding } from "./finding.ts";

const pageSize = 500;
const looksAtOnce = 8;

/** Finds rows without a file of the right size; `deep` reads each file and compares its hash. */
export async function findLostFiles(
  blobs: BlobStore,
  db: Reader,
  deep: boolean,
): Promise<Finding[]> {
  const found: Finding[] = [];
  for (let after = ""; ; ) {
    const rows = await listBlobs(db, after, pageSize);
    await atOnce(looksAtOnce, rows, async ({ sha256, bytes }) => {
      const how = await lookAt(blobs, sha256, bytes, deep);
      // The row may have been deleted since, and the file after it.
      if (how === "whole" || !(await hasBlob(db, sha256))) return;
      const assets = await assetsOf(db, sha256);
      const needed =
        assets.length > 0
          ? `needed by ${assets.map(({ id }) => `asset ${id}`).join(", ")}`
          : "no asset needs it";
      found.push({ check: "files", subject: `file ${sha256}`, text: `is ${how}; ${needed}` });
    });
    const last = rows.at(-1);
    if (!last || rows.length < pageSize) return found;
    after = last.sha256;
  }
}

async function lookAt(
  blobs: BlobStore,
  sha256: string,
  bytes: number,
  deep: boolean,
): Promise<"whole" | "missing" | "damaged"> {
  if (deep) return verifyBlob(blobs, sha256, bytes);
  const found = await blobs.stat(sha256);
  if (!found) return "missing";
  return found.bytes === bytes ? "whole" : "damaged";
}

/** The files' owner. `isOwner` means that unreferenced files may be removed. */
export async function findOwner(
  storage: BlobStorage,
  db: Reader,
): Promise<{ findings: Finding[]; isOwner: boolean; note?: string }> {
  const { mark, isOurs } = await readOwnership(storage.mark, db);
  const isOwner = mark ? isOurs : await namesItsFiles(storage.blobs, db);
  const findings: Finding[] = isOwner
    ? []
    : [
        {
          check: "owner",
          subject: "the file storage",
          text: "belongs to another Bottega. This one deletes nothing there and writes its own files under a prefix. To make it the owner, stop the other and run bottega take-over",
        },
      ];
  if (await storage.mark.isConditional()) return { findings, isOwner };
  return {
    findings,
    isOwner,
    note: "This storage has no conditional writes, so no file is deleted. Another database could own it.",
  };
}

/** Finds assets without a file row. If the storage has the bytes, the row can be restored. */
export async function findAssetsWithoutRow(blobs: BlobStore, db: Reader): Promise<Finding[]> {
  const found: Finding[] = [];
  for (const asset of await listAssetsWithoutBlob(db)) {
    const isThere = (await blobs.stat(asset.sha256))?.bytes === asset.bytes;
    const wrong = asset.isDeleting ? "is marked for deletion" : "has no row";
    found.push({
      check: "assets",
      subject: `asset ${asset.id}`,
      text: `names the file ${asset.sha256}, which ${wrong}; its bytes are ${isThere ? "in the storage" : "gone"}`,
      ...(isThere && { key: asset }),
    });
  }
  return found;
}

/** Finds results of ended runs without an asset. */
export async function findResultsWithoutAsset(blobs: BlobStore, db: Reader): Promise<Finding[]> {
  const found: Finding[] = [];
  for (const { runId, state, index, assetId, sha256 } of await findLostResults(db)) {
    const asset = assetId === null ? "it has no asset" : `its asset ${assetId} does not exist`;
    const file =
      sha256 === null
        ? "it was never saved"
        : `the file ${sha256} is ${(await blobs.stat(sha256)) ? "in the storage" : "gone"}`;
    found.push({
      check: "results",
      subject: `result ${index} of run ${runId} (${state})`,
      text: `${asset}; ${file}`,
    });
  }
  return found;
}

export async function mendAssetsFile(store: Store, { key }: Finding): Promise<string | undefined> {
  if (key === undefined) return undefined;
  const { sha256, bytes, mime } = key as AssetWithoutBlob;
  const touched = await store.write((tx) =>
    touchBlob(tx, { sha256, bytes, mime, at: clock.now() }),
  );
  return touched === "kept" ? "its file has a row again" : undefined;
}

/**
 * Finds files without a row that are older than the collector's grace period; a younger file may be
 * about to get its row.
 */
export async function findStrayFiles(blobs: BlobStore, db: Reader): Promise<Finding[]> {
  const found: Finding[] = [];
  for await (const { sha256, bytes } of blobs.list()) {
    const row = await db
      .selectFrom("blob")
      .select("sha256")
      .where("sha256", "=", sha256)
      .executeTakeFirst();
    if (row) continue;
    // An asset needs it, so only its row is missing.
    if ((await assetsOf(db, sha256)).length > 0) continue;
    const storedAt = await blobs.storedAt(sha256);
    if (storedAt === undefined || clock.now() - storedAt < graceMs) continue;
    found.push({
      check: "strays",
      subject: `file ${sha256}`,
      text: "has no row, and nothing needs it",
      key: { sha256, bytes },
    });
  }
  return found;
}

/**
 * Adds a row, so that the server's collector deletes the file like any other, and notices if the
 * same bytes are stored meanwhile.
 */
export async function removeStrayFile(store: Store, { key }: Finding): Promise<string> {
  const { sha256, bytes } = key as { sha256: string; bytes: number };
  await store.write((tx) => adoptStrayBlob(tx, { sha256, bytes, at: clock.now() - graceMs }));
  return "given to the server's collector, which deletes it";
}
