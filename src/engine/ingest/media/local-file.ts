import { createWriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { BlobStore } from "#blobs/blob-store.ts";
import { onDisk } from "#blobs/storage-problem.ts";
import { Problem } from "#contract/errors.ts";

/**
 * Calls `work` with the path of a blob, in place or copied, and a scratch folder that is deleted
 * afterwards.
 * @throws Problem not_found if the blob doesn't exist
 */
export async function withLocalFile<T>(
  blobs: BlobStore,
  sha256: string,
  scratchRoot: string,
  work: (path: string, scratchFolder: string) => Promise<T>,
): Promise<T> {
  // Named by process first, like the blobs' temporary files, so that their sweep can tell whose it
  // was.
  const scratch = await onDisk(mkdtemp(join(scratchRoot, `${process.pid}.media-`)));
  try {
    return await work(await pathOf(blobs, sha256, scratch), scratch);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function pathOf(blobs: BlobStore, sha256: string, scratch: string): Promise<string> {
  if (blobs.localPath) {
    if (!(await blobs.stat(sha256))) throw new Problem("not_found");
    return await blobs.localPath(sha256);
  }
  const path = join(scratch, "source");
  await onDisk(pipeline(await blobs.get(sha256), createWriteStream(path)));
  return path;
}
