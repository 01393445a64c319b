import { expect, it } from "vitest";
import { readRetryAfter, retryAfterOfBody, retryAfterOfHeaders } from "./retry-after.ts";

const now = Date.parse("2026-11-02T10:00:00Z");

it.each([
  [{ "retry-after-ms": "120", "retry-after": "9" }, 120],
  [{ "x-ms-retry-after-ms": "250" }, 250],
  [{ "retry-after": "1.5" }, 1_500],
  [{ "retry-after": "0" }, 0],
  [{ "retry-after": "Mon, 02 Nov 2026 10:00:30 GMT" }, 30_000],
  [{ "retry-after": "Mon, 02 Nov 2026 09:00:00 GMT" }, 0],
  // The provider's clock is a day ahead.
  [
    { "retry-after": "Tue, 03 Nov 2026 10:00:30 GMT", date: "Tue, 03 Nov 2026 10:00:00 GMT" },
    30_000,
  ],
  [{ "retry-after": "soon" }, undefined],
  [{ "retry-after": "-3" }, undefined],
  [{ "retry-after-ms": "never" }, undefined],
  [{}, undefined],
])("the headers %o ask for %s ms", (headers, ms) => {
  expect(retryAfterOfHeaders(new Headers(headers as Record<string, string>), now)).toBe(ms);
});

const message = (text: string) =>
  JSON.stringify({ error: { message: text, type: "tokens", code: "rate_limit_exceeded" } });
it.each([
  [
    message(
      "Rate limit reached for gpt-x: Limit 10000, Used 9000. Please try again in 1.2s. Visit https://example.org.",
    ),
    1_200,
  ],
  [message("Please try again in 6m0s."), 360_000],
  [message("Please try again in 1h2m3.5s."), 3_723_500],
  [message("Please try again in 20ms."), 20],
  [message("Please retry in 34.074824224s."), 34_075],
  [message("Please retry after 24 seconds. Please go here to raise it."), 24_000],
  [message("Try again in 2 minutes and be patient"), 120_000],
  [message("Please try again in 3 moons."), undefined],
  [message("Please try again later."), undefined],
  ['{"retry_after": 10}', 10_000],
  ['{"detail": "slow down", "retry_after": "0.5"}', 500],
  ['{"error": {"message": "busy", "retry_after_ms": 750}}', 750],
  ['{"error": {"retry_after_seconds": 3}}', 3_000],
  [
    '{"error": {"code": 429, "details": [{"@type": "x/google.rpc.QuotaFailure"}, {"@type": "x/google.rpc.RetryInfo", "retryDelay": "26s"}]}}',
    26_000,
  ],
  ['{"retry_after": -1}', undefined],
  ["retry after 2 seconds", 2_000],
  ["", undefined],
  ["[]", undefined],
])("the body %s asks for %s ms", (body, ms) => {
  expect(retryAfterOfBody(body)).toBe(ms);
});

it("the header wins if header and body disagree", () => {
  expect(readRetryAfter(new Headers({ "retry-after": "2" }), '{"retry_after": 10}', now)).toBe(
    2_000,
  );
  expect(readRetryAfter(new Headers(), '{"retry_after": 10}', now)).toBe(10_000);
});
