import { openBlobStore } from "#blobs/blob-store.ts";
import { verifyBlob } from "#blobs/copy.ts";
import { graceMs } from "#engine/collect.ts";
import type { Settings } from "#server/settings.ts";
import { adoptStrayBlob } from "#store/blobs.ts";
import { assetsOf, hasBlob, listBlobs } from "#store/checks.ts";
import type { Reader, Store } from "#store/store.ts";
import { clock } from "../open.ts";
import { atOnce } from "./at-once.ts";
import type { Finding } from "./doctor.ts";

const pageSize = 500;
const looksAtOnce = 8;

/** Every row has its file, of the right size; `deep` reads each and compares its hash. */
export async function findLostFiles(settings: Settings, db: Reader, deep: boolean): Promise<Finding[]> {
  const blobs = openBlobStore(settings.blobUrl, settings.dataFolder, process.env, { sweep: false });
  const found: Finding[] = [];
  for (let after = ""; ; ) {
    const rows = await listBlobs(db, after, pageSize);
    await atOnce(looksAtOnce, rows, async ({ sha256, bytes }) => {
      const how = await lookAt(blobs, sha256, bytes, deep);
      // Its row may have gone since, and the file after it.
      if (how === "whole" || !(await hasBlob(db, sha256))) return;
      const assets = await assetsOf(db, sha256);
      const needed = assets.length > 0 ? `needed by ${assets.map(({ id }) => `asset ${id}`).join(", ")}` : "no asset needs it";
      found.push({ check: "files", subject: `file ${sha256}`, text: `is ${how}; ${needed}` });
    });
    const last = rows.at(-1);
    if (!last || rows.length < pageSize) return found;
    after = last.sha256;
  }
}

async function lookAt(
  blobs: ReturnType<typeof openBlobStore>,
  sha256: string,
  bytes: number,
  deep: boolean,
): Promise<"whole" | "missing" | "damaged"> {
  if (deep) return verifyBlob(blobs, sha256, bytes);
  const found = await blobs.stat(sha256);
  if (!found) return "missing";
  return found.bytes === bytes ? "whole" : "damaged";
}

/** Every file that is older than the collector's grace has its row: a younger one may be on its way to it. */
export async function findStrayFiles(settings: Settings, db: Reader): Promise<Finding[]> {
  const blobs = openBlobStore(settings.blobUrl, settings.dataFolder, process.env, { sweep: false });
  const found: Finding[] = [];
  for await (const { sha256, bytes } of blobs.list()) {
    const row = await db.selectFrom("blob").select("sha256").where("sha256", "=", sha256).executeTakeFirst();
    if (row) continue;
    const storedAt = await blobs.storedAt(sha256);
    if (storedAt === undefined || clock.now() - storedAt < graceMs) continue;
    found.push({
      check: "strays",
      subject: `file ${sha256}`,
      text: "has no row: nothing needs it, and nobody would ever remove it",
      key: { sha256, bytes },
    });
  }
  return found;
}

/** It gets a row, as what a dead process left behind does: then the server's collector removes it, and sees who stores the same bytes meanwhile. */
export async function mendStrayFile(store: Store, { key }: Finding): Promise<string> {
  const { sha256, bytes } = key as { sha256: string; bytes: number };
  await store.write((tx) => adoptStrayBlob(tx, { sha256, bytes, at: clock.now() - graceMs }));
  return "given to the server's collector, which removes it";
}
