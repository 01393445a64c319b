import type { RateLeft } from "../../auth/rate-limit.ts";

/**
 * Reports a key's rate limit in the headers of OpenAI's API
 * (platform.openai.com/docs/guides/rate-limits). They are set on the raw response, because event
 * streams bypass Hono. Keys have no token limit.
 */
export function setRateHeaders(
  outgoing: { setHeader(name: string, value: string): unknown },
  { limit, remaining, resetMs }: RateLeft,
): void {
  outgoing.setHeader("x-ratelimit-limit-requests", String(limit));
  outgoing.setHeader("x-ratelimit-remaining-requests", String(remaining));
  outgoing.setHeader("x-ratelimit-reset-requests", `${(resetMs / 1_000).toFixed(3)}s`);
}
