const firstMs = 1_000;
const mostMs = 60_000;
/** A provider may ask for more: then it is asked again after so long all the same. */
const mostAskedMs = 60 * 60_000;
const randomEnd = 2 ** 31;

/** No wait is longer. What seems to be was written by a clock that has been set back since: it is over. */
export const longestWaitMs = mostAskedMs * 1.1;

/**
 * How long until the next attempt, in ms: the provider's word and up to a tenth more, else doubling from 1 s to 60 s of
 * which up to half is left out: many that failed at once do not come again at once.
 * @param attempt the one that failed, from 1 on
 * @param random a whole number from 0 to 2^31 - 1
 */
export function waitBeforeAgainMs(
  attempt: number,
  retryAfterMs: number | undefined,
  random: number,
): number {
  const share = random / randomEnd;
  if (retryAfterMs !== undefined)
    return Math.round(Math.min(retryAfterMs, mostAskedMs) * (1 + share / 10));
  const wholeMs = Math.min(firstMs * 2 ** (attempt - 1), mostMs);
  return Math.round(wholeMs / 2 + (share * wholeMs) / 2);
}
