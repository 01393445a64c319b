import ipaddr from "ipaddr.js";
import { Problem } from "#contract/errors.ts";
import { sentences } from "#contract/sentences/index.ts";

export type RateLeft = { limit: number; remaining: number; resetMs: number };

const tooManyTries = sentences.access.tooManyTries;

/**
 * Limits each key over a sliding minute. Counts are per process: two servers allow twice as many,
 * which still stops guessing.
 */
export function createRateLimit(
  perMinute: number,
  clock: { monotonic(): number },
  message = tooManyTries,
) {
  const windowMs = 60_000;
  const maxKeys = 10_000;
  const hits = new Map<string, number[]>();
  return {
    /**
     * Returns what is left of a key's minute, and the time until its oldest request stops counting.
     */
    left(key: string, most = perMinute): RateLeft {
      const now = clock.monotonic();
      const recent = (hits.get(key) ?? []).filter((at) => now - at < windowMs);
      const resetMs = recent.length > 0 ? windowMs - (now - recent[0]!) : 0;
      return { limit: most, remaining: Math.max(0, most - recent.length), resetMs };
    },
    /**
     * @param most a different rate for this key
     * @throws Problem rate_limited with the time to wait
     */
    hit(key: string, most = perMinute): void {
      const now = clock.monotonic();
      const recent = hits.get(key) ?? [];
      while (recent.length > 0 && now - recent[0]! >= windowMs) recent.shift();
      if (recent.length >= most)
        throw new Problem("rate_limited", {
          message,
          retryAfterMs: windowMs - (now - recent[0]!),
        });
      // Moves the key to the end of the map, so that the first one has been quiet for longest: a
      // flood of new keys can't evict somebody who is guessing now.
      hits.delete(key);
      recent.push(now);
      hits.set(key, recent);
      if (hits.size > maxKeys) hits.delete(hits.keys().next().value!);
    },
  };
}

/**
 * Returns the key that an address is counted by. Over IPv6 it is the /64, because one customer has
 * all of it and could use a new address for every guess.
 */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return "parts" in parsed
    ? `${parsed.parts
        .slice(0, 4)
        .map((part) => part.toString(16))
        .join(":")}::/64`
    : parsed.toString();
}

export type RateLimit = ReturnType<typeof createRateLimit>;
