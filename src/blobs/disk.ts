import { createReadStream, readdirSync, type Stats, statSync } from "node:fs";
import { mkdir, open, opendir, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Problem } from "#contract/errors.ts";
import { checkRange, checkSha256, checkVariant, isSha256, shardedPath } from "./blob-name.ts";
import type { BlobStore, ByteRange } from "./blob-store.ts";
import { limitSource } from "./limited-source.ts";
import { onDisk, systemCode } from "./storage-problem.ts";
import { type OpenFile, openTempFiles } from "./temp-files.ts";

/** Large enough that reading a file costs few turns of the event loop, small enough for many readers at once. */
const readChunkBytes = 256 * 1024;

/**
 * The additions are synchronous, for commands that serve nobody else, at a twentieth of the CPU
 * time.
 */
export type DiskStore = BlobStore & {
  /** Every stored hash. */
  names(): Iterable<string>;
  /**
   * Sizes and change times of a file and its derived files as one string: any write, and any copy
   * moved into place, changes it. The modification time can be set back, but the change time
   * (ctime) can't.
   * @returns undefined if one of them is missing
   */
  stamp(sha256: string, variants: readonly string[]): string | undefined;
};

/**
 * Blobs as files: <folder>/ab/cd/<sha256>, derived files in <folder>/variants/ab/cd/<sha256>/, unfinished ones in <folder>/tmp.
 * A blob survives a power loss once put() has returned: file fsynced, renamed, folders fsynced. Tests of failing disks pass
 * `openTemp` and `openFolder`.
 */
export function openDiskStore(options: {
  folder: string;
  openTemp?: OpenFile;
  openFolder?: OpenFile;
  sweep?: boolean;
}): DiskStore {
  const { folder } = options;
  const temps = openTempFiles(join(folder, "tmp"), options.openTemp, options.sweep);
  const pathOf = (sha256: string) => join(folder, shardedPath(checkSha256(sha256)));
  const variantsOf = (sha256: string) => join(folder, "variants", shardedPath(checkSha256(sha256)));

  async function factsOf(path: string): Promise<Stats | undefined> {
    try {
      return await onDisk(stat(path));
    } catch (error) {
      if (systemCode(error) === "ENOENT") return undefined;
      throw error;
    }
  }

  const sizeOf = async (path: string): Promise<number | undefined> => (await factsOf(path))?.size;

  /** fsyncs a folder and its parents, any of which may be new. A clean folder costs next to nothing. */
  async function syncFolders(from: string): Promise<void> {
    for (let path = from; ; path = dirname(path)) {
      await syncFolder(path, options.openFolder);
      if (path === folder || path === dirname(path)) return;
    }
  }

  async function keep(temp: string, path: string): Promise<void> {
    try {
      await onDisk(mkdir(dirname(path), { recursive: true, mode: 0o700 }));
      await onDisk(rename(temp, path));
      await syncFolders(dirname(path));
    } catch (error) {
      await temps.remove(temp).catch(() => {});
      throw error;
    }
  }

  return {
    async put(source, putOptions = {}) {
      const { path: temp, sha256, bytes } = await temps.receive(limitSource(source, putOptions));
      const path = pathOf(sha256);
      // A file of another size can only be damage from outside; the good one replaces it.
      if ((await sizeOf(path)) !== bytes) await keep(temp, path);
      else {
        await temps.remove(temp);
        // Its writer may not have synced it yet.
        await syncFolders(dirname(path));
      }
      return { sha256, bytes };
    },
    async stat(sha256) {
      const bytes = await sizeOf(pathOf(sha256));
      return bytes === undefined ? undefined : { bytes };
    },
    storedAt: async (sha256) => (await factsOf(pathOf(sha256)))?.mtimeMs,
    async get(sha256, range) {
      const path = pathOf(sha256);
      const bytes = await sizeOf(path);
      if (bytes === undefined) throw new Problem("not_found");
      return readFrom(path, range ? checkRange(range, bytes) : { start: 0, end: bytes - 1 });
    },
    async delete(sha256) {
      await onDisk(rm(pathOf(sha256), { force: true }));
      await onDisk(rm(variantsOf(sha256), { force: true, recursive: true }));
    },
    async putVariant(sha256, variant, bytes) {
      const path = join(variantsOf(sha256), checkVariant(variant));
      const temp = await temps.receive(once(bytes));
      await keep(temp.path, path);
    },
    async getVariant(sha256, variant) {
      try {
        return await onDisk(readFile(join(variantsOf(sha256), checkVariant(variant))));
      } catch (error) {
        if (systemCode(error) === "ENOENT") return undefined;
        throw error;
      }
    },
    list: () => listFiles(folder),
    localPath: pathOf,
    names: () => namesIn(folder),
    stamp(sha256, variants) {
      const derived = variantsOf(sha256);
      const paths = [pathOf(sha256), ...variants.map((name) => join(derived, checkVariant(name)))];
      const stamps = paths.map((path) => {
        const found = statSync(path, { throwIfNoEntry: false });
        return found && `${found.size} ${found.mtimeMs} ${found.ctimeMs}`;
      });
      return stamps.includes(undefined) ? undefined : stamps.join(", ");
    },
  };
}

/**
 * Opens on the first read, so that an unused stream leaves no open file. Allocates no more than
 * there is to read, because a whole chunk for each small file would keep the garbage collector
 * busy.
 * @param range empty for an empty file
 */
async function* readFrom(
  path: string,
  { start, end }: ByteRange,
): AsyncGenerator<Uint8Array, void, undefined> {
  const highWaterMark = Math.min(readChunkBytes, end - start + 1);
  if (highWaterMark === 0) return;
  const stream = createReadStream(path, { start, end, highWaterMark });
  try {
    for await (const chunk of stream) yield chunk;
  } catch (error) {
    if (systemCode(error) === "ENOENT") throw new Problem("not_found", {}, { cause: error });
    await onDisk(Promise.reject(error));
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  yield bytes;
}

/** Makes a rename into a folder survive a power loss. */
export async function syncFolder(
  path: string,
  openFolder: OpenFile = (folder) => open(folder, "r"),
): Promise<void> {
  // Windows can't open a folder; NTFS journals the rename.
  if (process.platform === "win32") return;
  const handle = await onDisk(openFolder(path));
  try {
    await onDisk(handle.sync());
  } finally {
    await handle.close();
  }
}

async function* listFiles(
  folder: string,
): AsyncGenerator<{ sha256: string; bytes: number }, void, undefined> {
  for (const first of await shardsIn(folder)) {
    for (const second of await shardsIn(join(folder, first))) {
      for await (const entry of await onDisk(opendir(join(folder, first, second)))) {
        if (!isSha256(entry.name)) continue;
        const found = await stat(join(folder, first, second, entry.name)).catch(() => undefined);
        if (found) yield { sha256: entry.name, bytes: found.size };
      }
    }
  }
}

function* namesIn(folder: string): Generator<string> {
  const shardsOf = (path: string): string[] => readdirSync(path).filter(isShard);
  for (const first of shardsOf(folder))
    for (const second of shardsOf(join(folder, first)))
      yield* readdirSync(join(folder, first, second)).filter(isSha256);
}

const isShard = (name: string): boolean => /^[0-9a-f]{2}$/.test(name);

async function shardsIn(folder: string): Promise<string[]> {
  const names: string[] = [];
  for await (const entry of await onDisk(opendir(folder)))
    if (isShard(entry.name)) names.push(entry.name);
  return names.sort();
}
