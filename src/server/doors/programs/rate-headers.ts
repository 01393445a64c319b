import type { RateLeft } from "../../auth/rate-limit.ts";

/**
 * A key's rate in the headers of OpenAI's API (platform.openai.com/docs/guides/rate-limits). They are set on the response itself, for an
 * event stream is written past Hono. No key has a limit of tokens.
 */
export function tellRate(
  outgoing: { setHeader(name: string, value: string): unknown },
  { limit, remaining, resetMs }: RateLeft,
): void {
  outgoing.setHeader("x-ratelimit-limit-requests", String(limit));
  outgoing.setHeader("x-ratelimit-remaining-requests", String(remaining));
  outgoing.setHeader("x-ratelimit-reset-requests", `${(resetMs / 1_000).toFixed(3)}s`);
}
