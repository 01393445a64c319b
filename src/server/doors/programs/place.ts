/**
 * Failures before a run has its slot, or within this time after, are answered with a status. Later
 * the stream has started, and carries the error.
 */
const headMs = 5_000;

export type Place = ReturnType<typeof createPlace>;

/**
 * Tracks the slot of a call's run. A run that its provider rejects loses the slot and takes a new
 * one.
 */
export function createPlace() {
  const { promise: isKept, resolve } = Promise.withResolvers<void>();
  let timer: NodeJS.Timeout | undefined;
  return {
    /** Resolves when the run has had its slot long enough for the response to start. */
    isKept,
    take(): void {
      timer ??= setTimeout(resolve, headMs);
    },
    lose(): void {
      clearTimeout(timer);
      timer = undefined;
    },
  };
}
