import { Problem } from "#contract/errors.ts";

/** A sliding minute for each key. Kept in this process: two servers allow twice as many, which still stops guessing. */
export function createRateLimit(perMinute: number, clock: { monotonic(): number }) {
  const windowMs = 60_000;
  const keysMost = 10_000;
  const hits = new Map<string, number[]>();
  return {
    /** @throws Problem rate_limited with how long to wait */
    hit(key: string): void {
      const now = clock.monotonic();
      const recent = (hits.get(key) ?? []).filter((at) => now - at < windowMs);
      if (recent.length >= perMinute)
        throw new Problem("rate_limited", {
          message: "Too many tries in a short time. Wait a minute, then try again.",
          retryAfterMs: windowMs - (now - recent[0]!),
        });
      if (hits.size >= keysMost) hits.clear();
      hits.set(key, [...recent, now]);
    },
  };
}
export type RateLimit = ReturnType<typeof createRateLimit>;
