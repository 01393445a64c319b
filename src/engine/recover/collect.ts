import type { Clock } from "#domain/runs/ids.ts";
import { holdMarks, markUnneededBlobs, removeBlobs } from "#store/content/blobs.ts";
import type { EngineDeps } from "../deps.ts";
import { graceMs } from "../ingest/keep-bytes.ts";

const atOnce = 100;
/** The rows of deleted files go this often on a slow storage: equal bytes that come again wait for them. */
const stepMs = 1_000;

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
 * file is one collector's. A hundred at a time, each step of them in one commit.
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

/** What stays marked is taken up by the next collector that may. @returns how many were deleted */
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
