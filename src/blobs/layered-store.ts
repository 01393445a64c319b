import { Problem } from "#contract/errors.ts";
import type { BlobStore } from "./blob-store.ts";

/** The store that is written to, and the stores that are read, in order. */
export type FilePlaces = { write: BlobStore; read: readonly BlobStore[] };

/**
 * One store over several. Nothing is copied between them. A delete goes to all of them, so the caller must own them all.
 */
export function openLayeredStore(places: () => FilePlaces): BlobStore {
  async function firstIn<T>(
    look: (store: BlobStore) => Promise<T | undefined>,
  ): Promise<T | undefined> {
    for (const store of places().read) {
      const found = await look(store);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  /** The store that has the bytes. A single store is used without a look-up. */
  async function placeOf(sha256: string): Promise<BlobStore> {
    const { read } = places();
    for (const store of read.slice(0, -1)) if (await store.stat(sha256)) return store;
    const last = read.at(-1);
    if (!last) throw new Problem("not_found");
    return last;
  }
  const { read } = places();
  return {
    put: (source, options) => places().write.put(source, options),
    stat: (sha256) => firstIn((store) => store.stat(sha256)),
    storedAt: (sha256) => firstIn((store) => store.storedAt(sha256)),
    get: async (sha256, range) => (await placeOf(sha256)).get(sha256, range),
    async delete(sha256) {
      for (const store of places().read) await store.delete(sha256);
    },
    putVariant: (sha256, variant, bytes) => places().write.putVariant(sha256, variant, bytes),
    getVariant: (sha256, variant) => firstIn((store) => store.getVariant(sha256, variant)),
    async *list() {
      for (const store of places().read) yield* store.list();
    },
    ...(read.every((store) => store.localPath) && {
      localPath: async (sha256: string) => (await placeOf(sha256)).localPath?.(sha256) ?? "",
    }),
  };
}
