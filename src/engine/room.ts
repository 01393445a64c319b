import type { BlobStore } from "#blobs/blob-store.ts";
import { Problem } from "#contract/errors.ts";
import type { EngineDeps } from "./deps.ts";

/** Below so much free space nothing new is taken on, free of charge or not: what was paid for must still find room. */
const freeBytesFloor = 512 * 1024 ** 2;
/** Below so much, admins are warned: at a rate of some hundred pictures an hour it lasts a day. */
const lowBytes = 5 * 1024 ** 3;
/** A store that failed is asked again by what waits for it, every few seconds; who hears nothing for so long lets new work try it. */
const troubleMs = 30_000;

/**
 * Refuses new work while its results would find no room, or while our storage fails: what is under way is tried until it is
 * stored, and nothing is added to it. Reading continues, and so do messages without an answer.
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

/** Whether admins should make room soon. @param freeBytes null where nobody knows */
export const isDiskLow = (freeBytes: number | null): boolean =>
  freeBytes !== null && freeBytes < lowBytes;

/** Why new work is refused for now, in a sentence for admins; null where it is not. */
export const whyRefused = (deps: Parameters<typeof refuseWhenFull>[0]): Promise<string | null> =>
  refuseWhenFull(deps).then(
    () => null,
    (error: unknown) => {
      if (error instanceof Problem) return error.message;
      throw error;
    },
  );

/** The same store, of which is known whether it failed to keep what it was last given. */
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
