import type { BlobStore } from "#blobs/blob-store.ts";
import { openLayeredStore } from "#blobs/layered-store.ts";
import { type BlobStorage, openBlobStorage } from "#blobs/open-storage.ts";
import type { Settings } from "#server/settings.ts";
import { getFileOwner } from "#store/content/file-owner.ts";
import type { Reader } from "#store/database/store.ts";

/**
 * The file storage, which a running server may use, and this database's files in all their places.
 */
export async function openFiles(
  settings: Settings,
  db: Reader,
): Promise<{ storage: BlobStorage; files: BlobStore }> {
  const storage = openBlobStorage(settings.blobUrl, settings.dataFolder, process.env, {
    sweep: false,
  });
  const { prefixes } = await getFileOwner(db);
  const read = [storage.blobs, ...prefixes.map((prefix) => storage.at(prefix))];
  return { storage, files: openLayeredStore(() => ({ write: storage.blobs, read })) };
}
