import type { Clock } from "#domain/runs/ids.ts";
import { holdMarks, markUnneededBlobs, removeBlobs } from "#store/content/blobs.ts";
import type { EngineDeps } from "../deps.ts";
import { graceMs } from "../ingest/store-bytes.ts";

const atOnce = 100;
/**
 * How often the rows of deleted files are removed on slow storage, because equal bytes that are
 * stored again wait for that.
 */
const stepMs = 1_000;

/** Smaller corrections of the wall clock don't matter here. */
const jumpMs = 60_000;

/**
 * Detects whether the wall clock jumped ahead within the last `quietMs` (by default the grace
 * period). Files stored just before a jump look old, although active runs may need them. A jump
 * back only keeps files for longer.
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
 * Deletes bytes that no asset needs, if this database owns the files. Safe on several servers at
 * once, because each marked file belongs to one collector. Works on a hundred files at a time, with
 * one commit per step.
 */
export async function collectBlobs(deps: EngineDeps): Promise<number> {
  const mayDelete = () => deps.fileOwner?.mayDelete() ?? true;
  let collected = 0;
  for (let after: Awaited<ReturnType<typeof markUnneededBlobs>>["last"]; ; ) {
    if (!mayDelete()) return collected;
    const at = deps.clock.now();
    const { marked, last } = await deps.commit(({ tx }) =>
      markUnneededBlobs(tx, { before: at - graceMs, at, after, limit: atOnce }),
    );
    collected += await deleteMarked(deps, marked, at, mayDelete);
    if (!last) return collected;
    after = last;
  }
}

/**
 * Deletes marked files. Files that stay marked are taken over by the next collector.
 * @returns how many were deleted
 */
async function deleteMarked(
  deps: EngineDeps,
  marked: readonly string[],
  markedAt: number,
  mayDelete: () => boolean,
): Promise<number> {
  let deleted = 0;
  for (let left = marked; left.length > 0 && mayDelete(); ) {
    const since = deps.clock.monotonic();
    const heldAt = deps.clock.now();
    const held = await deps.commit(({ tx }) => holdMarks(tx, left, markedAt, heldAt));
    const gone: string[] = [];
    try {
      for (const sha256 of held) {
        if (!mayDelete() || deps.clock.monotonic() - since > stepMs) break;
        await deps.blobs.delete(sha256);
        gone.push(sha256);
      }
    } finally {
      if (gone.length > 0) await deps.commit(({ tx }) => removeBlobs(tx, gone));
    }
    deleted += gone.length;
    left = held.slice(gone.length);
    markedAt = heldAt;
  }
  return deleted;
}
