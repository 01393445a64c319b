import type { ServerResponse } from "node:http";
import { Problem } from "#contract/errors.ts";
import { limits } from "#contract/limits.ts";
import { sentences } from "#contract/sentences/index.ts";

/** The retry delay for refused calls: a restart takes a few seconds. */
const againAfterMs = 5_000;

/**
 * API calls that wait for a run's result on the same connection. After a restart, nobody could
 * deliver their responses.
 */
export type WaitingCalls = ReturnType<typeof createWaitingCalls>;

export function createWaitingCalls({
  placeWaitMs = limits.placeWaitMs,
}: {
  placeWaitMs?: number;
} = {}) {
  const stopping = new AbortController();
  const open = new Set<ServerResponse>();
  const stopped = (): Problem =>
    new Problem("unavailable", {
      message: sentences.access.stopping,
      retryAfterMs: againAfterMs,
    });
  return {
    /**
     * Counts a call until its connection closes.
     * @throws Problem unavailable for a new call while the server stops
     */
    begin(outgoing: ServerResponse): void {
      if (open.has(outgoing)) return;
      if (stopping.signal.aborted) throw stopped();
      if (outgoing.destroyed || outgoing.closed) return;
      open.add(outgoing);
      outgoing.once("close", () => open.delete(outgoing));
    },
    /**
     * Whether the server is stopping, so that it and not the caller may have closed a connection.
     */
    isStopping: (): boolean => stopping.signal.aborted,
    /** Aborted when a run has waited long enough for a free slot. */
    endOfWait: (): AbortSignal =>
      AbortSignal.any([AbortSignal.timeout(placeWaitMs), stopping.signal]),
    /** Returns the error for a call whose run was withdrawn at the end of its wait. */
    refusal: (): Problem =>
      stopping.signal.aborted
        ? stopped()
        : new Problem("rate_limited", {
            message: sentences.access.noFreePlace,
            retryAfterMs: againAfterMs,
          }),
    /** Refuses new calls. Resolves when no call is open, or when `most` is aborted. */
    async drain(most: AbortSignal): Promise<void> {
      stopping.abort();
      const late = new Promise<void>((resolve) =>
        most.addEventListener("abort", () => resolve(), { once: true }),
      );
      while (open.size > 0 && !most.aborted) {
        const [first] = open;
        await Promise.race([late, new Promise((resolve) => first!.once("close", resolve))]);
      }
    },
  };
}
