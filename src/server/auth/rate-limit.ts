import ipaddr from "ipaddr.js";
import { Problem } from "#contract/errors.ts";
import { sentences } from "#contract/sentences/index.ts";

export type RateLeft = { limit: number; remaining: number; resetMs: number };

const tooManyTries = sentences.access.tooManyTries;

/** A sliding minute for each key. Kept in this process: two servers allow twice as many, which still stops guessing. */
export function createRateLimit(
  perMinute: number,
  clock: { monotonic(): number },
  message = tooManyTries,
) {
  const windowMs = 60_000;
  const keysMost = 10_000;
  const hits = new Map<string, number[]>();
  return {
    /** What is left of a key's minute, and after how long one of its requests counts no more. */
    left(key: string, most = perMinute): RateLeft {
      const now = clock.monotonic();
      const recent = (hits.get(key) ?? []).filter((at) => now - at < windowMs);
      const resetMs = recent.length > 0 ? windowMs - (now - recent[0]!) : 0;
      return { limit: most, remaining: Math.max(0, most - recent.length), resetMs };
    },
    /** @param most another rate for this key of the map @throws Problem rate_limited with how long to wait */
    hit(key: string, most = perMinute): void {
      const now = clock.monotonic();
      const recent = hits.get(key) ?? [];
      while (recent.length > 0 && now - recent[0]! >= windowMs) recent.shift();
      if (recent.length >= most)
        throw new Problem("rate_limited", {
          message,
          retryAfterMs: windowMs - (now - recent[0]!),
        });
      // Put last again, so that the first of the map is who was quiet for longest: a flood of new keys frees nobody who guesses now.
      hits.delete(key);
      recent.push(now);
      hits.set(key, recent);
      if (hits.size > keysMost) hits.delete(hits.keys().next().value!);
    },
  };
}

/** Whom an address counts as: over IPv6 one customer has a whole /64 to choose from, and a new address for every guess. */
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
