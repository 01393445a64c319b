/** What fails before its run has its place, or within this time after, is answered with a status; later the stream has started and carries the error. */
const headMs = 5_000;

export type Place = ReturnType<typeof createPlace>;

/** Where the run of a call is made. A run that its provider sends back has lost it, and takes it anew. */
export function createPlace() {
  const { promise: isKept, resolve } = Promise.withResolvers<void>();
  let timer: NodeJS.Timeout | undefined;
  return {
    /** Resolved when the run has had its place long enough for its answer to begin. */
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
