const firstMs = 1_000;
const maxMs = 60_000;
/** The longest wait that a provider can ask for; the run is retried after this time anyway. */
const maxAskedMs = 60 * 60_000;
const randomEnd = 2 ** 31;

/**
 * The longest possible wait. A longer one was written before the clock was set back, so it counts
 * as over.
 */
export const longestWaitMs = maxAskedMs * 1.1;

/** The longest wait after an attempt whose provider stated none. */
export const mostBeforeAgainMs = (attempt: number): number =>
  Math.min(firstMs * 2 ** (attempt - 1), maxMs);

/**
 * The wait before the next attempt, in ms: the provider's request plus up to a tenth, or else
 * doubling from 1 s to 60 s with up to half left out, so that requests that failed together don't
 * repeat together.
 * @param attempt the failed attempt, counted from 1
 * @param random a whole number from 0 to 2^31 - 1
 */
export function retryDelayMs(
  attempt: number,
  retryAfterMs: number | undefined,
  random: number,
): number {
  const share = random / randomEnd;
  if (retryAfterMs !== undefined)
    return Math.round(Math.min(retryAfterMs, maxAskedMs) * (1 + share / 10));
  const wholeMs = mostBeforeAgainMs(attempt);
  return Math.round(wholeMs / 2 + (share * wholeMs) / 2);
}
