import { adoptStrayBlob, holdMark, markUnneededBlobs, removeBlob } from "#store/blobs.ts";
import type { EngineDeps } from "./deps.ts";

/** How long a file that nothing needs stays: longer than any road from its bytes to its asset. */
export const graceMs = 60 * 60_000;
const atOnce = 100;

/** Deletes the bytes that no asset needs any more. Safe on several servers at once: a marked file is one collector's. */
export async function collectBlobs(deps: EngineDeps): Promise<number> {
  let collected = 0;
  for (;;) {
    const markedAt = deps.clock.now();
    const hashes = await deps.commit((tx) => markUnneededBlobs(deps.store, tx, markedAt - graceMs, markedAt, atOnce));
    for (const sha256 of hashes) {
      if (!(await deps.commit((tx) => holdMark(tx, sha256, markedAt, deps.clock.now())))) continue;
      await deps.blobs.delete(sha256);
      await deps.commit((tx) => removeBlob(tx, sha256));
    }
    collected += hashes.length;
    if (hashes.length < atOnce) return collected;
  }
}

/** Finds files without a row, left by a process that died between storing and saying so; the collector does the rest. */
export async function adoptStrayFiles(deps: EngineDeps): Promise<void> {
  for await (const { sha256, bytes } of deps.blobs.list()) {
    const known = await deps.store.read.selectFrom("blob").select("sha256").where("sha256", "=", sha256).executeTakeFirst();
    if (!known) await deps.commit((tx) => adoptStrayBlob(tx, { sha256, bytes, at: deps.clock.now() }));
  }
}
