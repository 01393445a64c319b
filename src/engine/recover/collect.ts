import type { Clock } from "#domain/runs/ids.ts";
import { holdMark, markUnneededBlobs, removeBlob } from "#store/content/blobs.ts";
import type { EngineDeps } from "../deps.ts";
import { graceMs } from "../ingest/keep-bytes.ts";

const atOnce = 100;

/** A correction of the wall clock that is smaller changes nothing here. */
const jumpMs = 60_000;

/**
 * Says whether the wall clock has jumped ahead within the last `quietMs` (the grace, where nothing is said): files that were stored
 * just before look old, and may be wanted by runs that are still on their way. One that jumps back only keeps files for longer.
 */
export function watchForJumps(clock: Clock): (quietMs?: number) => boolean {
  let offsetMs = clock.now() - clock.monotonic();
  let jumpedAt = Number.NEGATIVE_INFINITY;
  return (quietMs = graceMs) => {
    const at = clock.monotonic();
    const seenMs = clock.now() - at;
    if (seenMs - offsetMs > jumpMs) jumpedAt = at;
    offsetMs = seenMs;
    return at - jumpedAt < quietMs;
  };
}

/**
 * Deletes the bytes that no asset needs any more, where the files are this database's. Safe on several servers at once: a marked
 * file is one collector's.
 */
export async function collectBlobs(deps: EngineDeps): Promise<number> {
  const mayDelete = () => deps.fileOwner?.mayDelete() ?? true;
  let collected = 0;
  for (;;) {
    if (!mayDelete()) return collected;
    const markedAt = deps.clock.now();
    const hashes = await deps.commit(({ tx }) =>
      markUnneededBlobs(tx, markedAt - graceMs, markedAt, atOnce),
    );
    for (const sha256 of hashes) {
      // What stays marked is taken up by the next collector that may.
      if (!mayDelete()) return collected;
      if (!(await deps.commit(({ tx, at }) => holdMark(tx, sha256, markedAt, at)))) continue;
      await deps.blobs.delete(sha256);
      await deps.commit(({ tx }) => removeBlob(tx, sha256));
    }
    collected += hashes.length;
    if (hashes.length < atOnce) return collected;
  }
}
