import { setTimeout as sleep } from "node:timers/promises";
import { Problem } from "#contract/errors.ts";
import { sentences } from "#contract/sentences/index.ts";
import { touchBlob } from "#store/content/blobs.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import type { EngineDeps } from "../deps.ts";

/** How long a file that nothing needs stays: longer than any road from its bytes to its asset. */
export const graceMs = 60 * 60_000;

const retryMs = 200;
const tries = 10;

/**
 * Stores bytes and says in the database that they are wanted, from then on for the grace of the collector at least. Should
 * equal bytes be on their way out just then, they are stored again.
 * @param open returns the bytes again at each call; it throws if it can't
 * @throws Problem too_large, storage_full, unavailable; what the source throws
 */
export async function keepBytes(
  deps: Pick<EngineDeps, "blobs" | "store" | "commit" | "clock" | "failpoints">,
  open: () => Promise<AsyncIterable<Uint8Array>>,
  options: { mostBytes: number; mime?: string; signal?: AbortSignal; run?: OwnedRun },
): Promise<{ sha256: string; bytes: number }> {
  for (let left = tries; left > 0; left--) {
    const kept = await deps.blobs.put(await open(), options);
    await deps.failpoints?.at("output.kept", options.run);
    const blob = {
      ...kept,
      mime: options.mime ?? "application/octet-stream",
      at: deps.clock.now(),
    };
    const wanted = (await deps.commit(({ tx }) => touchBlob(tx, blob))) === "kept";
    // They may have gone between the two, row and all; from now on nobody takes them.
    if (wanted && (await deps.blobs.stat(kept.sha256))) return kept;
    await sleep(retryMs, undefined, { signal: options.signal });
  }
  throw new Problem("unavailable", { message: sentences.files.notSaved });
}
