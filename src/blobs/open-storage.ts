import { join } from "node:path";
import type { BlobStore } from "./blob-store.ts";
import { openDiskStore, syncFolder } from "./disk.ts";
import { type MarkStore, openDiskMark, openS3Mark } from "./owner-mark.ts";
import { openS3Store } from "./s3.ts";
import { openS3Client } from "./s3-client.ts";
import { parseS3Url } from "./s3-location.ts";

/** A file storage: its blobs, its owner mark, and prefixes inside it for databases that don't own it. */
export type BlobStorage = { blobs: BlobStore; mark: MarkStore; at(prefix: string): BlobStore };

type Outside = { fetch?: typeof globalThis.fetch; sweep?: boolean };
type Env = Readonly<Record<string, string | undefined>>;

/**
 * `s3://bucket/prefix?endpoint=...&region=...` with the credentials in AWS_ACCESS_KEY_ID and
 * AWS_SECRET_ACCESS_KEY, or, without an address, the folder `blobs` in the data folder. `sweep` is
 * false for a reader next to a running server.
 * @throws Problem("invalid_input") if the address or the credentials aren't usable
 */
export function openBlobStorage(
  url: string | undefined,
  dataFolder: string,
  env: Env,
  outside: Outside = {},
): BlobStorage {
  const folder = join(dataFolder, "blobs");
  const { fetch, sweep } = outside;
  if (!url)
    return {
      blobs: openDiskStore({ folder, sweep }),
      mark: openDiskMark(folder, syncFolder),
      at: (prefix) => openDiskStore({ folder: join(folder, "copies", prefix), sweep }),
    };
  const location = parseS3Url(url, env);
  const spoolFolder = join(folder, "tmp");
  return {
    blobs: openS3Store({ location, spoolFolder, fetch, sweep }),
    mark: openS3Mark(openS3Client(location, fetch)),
    at: (prefix) =>
      openS3Store({
        location: { ...location, prefix: `${location.prefix}copies/${prefix}/` },
        spoolFolder,
        fetch,
        sweep,
      }),
  };
}

/** A storage's blobs, without the check of its owner. */
export const openBlobStore = (
  url: string | undefined,
  dataFolder: string,
  env: Env,
  outside?: Outside,
): BlobStore => openBlobStorage(url, dataFolder, env, outside).blobs;
