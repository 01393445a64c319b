import { setTimeout as sleep } from "node:timers/promises";
import { Problem } from "#contract/errors.ts";
import { sentences } from "#contract/sentences/index.ts";
import { touchBlob } from "#store/content/blobs.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import type { EngineDeps } from "../deps.ts";

/** How long an unreferenced file is kept: longer than any path from its bytes to its asset. */
export const graceMs = 60 * 60_000;

const retryMs = 200;
const tries = 10;

/**
 * Stores bytes and records in the database that they are needed, at least for the collector's grace
 * period. If equal bytes are being deleted at that moment, they are stored again.
 * @param open returns the bytes again on each call, and throws if it can't
 * @throws Problem too_large, storage_full, unavailable
 * @throws the source's error
 */
export async function storeBytes(
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
    // The collector may have deleted the bytes and the row in between; it can't from now on.
    if (wanted && (await deps.blobs.stat(kept.sha256))) return kept;
    await sleep(retryMs, undefined, { signal: options.signal });
  }
  throw new Problem("unavailable", { message: sentences.files.notSaved });
}
