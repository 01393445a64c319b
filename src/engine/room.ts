import type { BlobStore } from "#blobs/blob-store.ts";
import { Problem } from "#contract/errors.ts";
import type { EngineDeps } from "./deps.ts";

/**
 * Below this much free space all new work is refused, even free work, to leave room for results
 * that have been paid for.
 */
const freeBytesFloor = 512 * 1024 ** 2;
/** Below this, admins are warned: it lasts a day at some hundred pictures an hour. */
const lowBytes = 5 * 1024 ** 3;
/**
 * Waiting work retries a failed store every few seconds. After this long without another failure,
 * new work may try it.
 */
const troubleMs = 30_000;

/**
 * Refuses new work if its results would find no room or our storage fails. Active runs are retried
 * until they are stored. Reading continues, and so do messages without an answer.
 * @returns how many bytes may be added
 * @throws Problem storage_full, unavailable
 */
export async function refuseWhenFull(
  deps: Pick<EngineDeps, "freeBytes" | "storageTrouble">,
): Promise<number> {
  const trouble = deps.storageTrouble?.();
  if (trouble) throw trouble;
  const freeBytes = (await deps.freeBytes?.()) ?? Number.POSITIVE_INFINITY;
  if (freeBytes < freeBytesFloor) throw new Problem("storage_full");
  return freeBytes - freeBytesFloor;
}

/**
 * Whether admins should free space soon.
 * @param freeBytes null if unknown
 */
export const isDiskLow = (freeBytes: number | null): boolean =>
  freeBytes !== null && freeBytes < lowBytes;

/** Why new work is currently refused, in a sentence for admins; null if it isn't. */
export const whyRefused = (deps: Parameters<typeof refuseWhenFull>[0]): Promise<string | null> =>
  refuseWhenFull(deps).then(
    () => null,
    (error: unknown) => {
      if (error instanceof Problem) return error.message;
      throw error;
    },
  );

/** Wraps a store to record whether its last write failed. */
export function watchStorage(
  blobs: BlobStore,
  clock: { monotonic(): number },
): { blobs: BlobStore; storageTrouble(): Problem | undefined } {
  let last: { problem: Problem; at: number } | undefined;
  return {
    storageTrouble: () =>
      last && clock.monotonic() - last.at < troubleMs
        ? new Problem(last.problem.code, last.problem.detail)
        : undefined,
    blobs: {
      ...blobs,
      async put(source, options) {
        try {
          const kept = await blobs.put(source, options);
          last = undefined;
          return kept;
        } catch (error) {
          if (
            error instanceof Problem &&
            (error.code === "storage_full" || error.code === "unavailable")
          )
            last = { problem: error, at: clock.monotonic() };
          throw error;
        }
      },
    },
  };
}
