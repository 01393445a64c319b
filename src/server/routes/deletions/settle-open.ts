import { setTimeout as wait } from "node:timers/promises";
import { Problem } from "#contract/errors.ts";
import { sentences } from "#contract/sentences/index.ts";
import { resolveRun } from "#engine/follow/cancel.ts";
import { listOpen } from "#store/content/deletions/project-deletions.ts";
import type { ServerDeps } from "../../deps.ts";

/** How often, and at what interval, to check whether canceled runs have ended. */
const mostLooks = 25;
const lookEveryMs = 200;

/**
 * Ends the open runs of a project or a person before its deletion: cancels them, and books
 * unconfirmed ones at their reservation, because they may have been charged.
 * @throws Problem conflict if a provider needs longer to cancel one
 */
export async function settleOpen(
  deps: ServerDeps,
  of: Parameters<typeof listOpen>[1],
  looks = mostLooks,
): Promise<void> {
  const asked = new Set<string>();
  for (let look = 0; ; look++) {
    const open = await listOpen(deps.store.db, of);
    if (open.length === 0) return;
    if (look === looks) throw new Problem("conflict", { message: sentences.deletions.stillEnding });
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

/**
 * Ignores a run that has ended or changed its state since it was listed; the next check sees that.
 */
async function passOver(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof Problem && error.code === "conflict")) throw error;
  }
}
