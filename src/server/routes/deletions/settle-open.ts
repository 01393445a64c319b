import { setTimeout as wait } from "node:timers/promises";
import { Problem } from "#contract/errors.ts";
import { resolveRun } from "#engine/follow/cancel.ts";
import { listOpen } from "#store/content/deletions/project-deletions.ts";
import type { ServerDeps } from "../../deps.ts";

/** How often, and how far apart, it is looked whether what was canceled has ended. What takes longer is refused by the deletion itself. */
const looks = 25;
const lookEveryMs = 200;

/**
 * Ends the open runs of a project or a person, for who deletes it: cancels them, and books unconfirmed ones at what they hold, for
 * they may have been charged.
 */
export async function settleOpen(
  deps: ServerDeps,
  of: Parameters<typeof listOpen>[1],
): Promise<void> {
  const asked = new Set<string>();
  for (let look = 0; look < looks; look++) {
    const open = await listOpen(deps.store.db, of);
    if (open.length === 0) return;
    for (const { id, state, heldMicros } of open) {
      if (state === "unconfirmed")
        await passOver(
          resolveRun(deps, id, { outcome: "made-elsewhere", costMicros: heldMicros || null }),
        );
      else if (!asked.has(id)) await passOver(deps.engine.cancelRun(id));
      asked.add(id);
    }
    await wait(lookEveryMs);
  }
}

/** It has ended, or changed its state, since it was listed: the next look sees that. */
async function passOver(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof Problem && error.code === "conflict")) throw error;
  }
}
