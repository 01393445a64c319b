import { expect, it } from "vitest";
import { longestWaitMs, retryDelayMs } from "./backoff.ts";

const least = 0;
const most = 2 ** 31 - 1;

it("waits double from one second to one minute, with up to half taken off at random", () => {
  expect([1, 2, 3, 4].map((attempt) => retryDelayMs(attempt, undefined, least))).toEqual([
    500, 1_000, 2_000, 4_000,
  ]);
  expect([1, 2, 3, 4].map((attempt) => retryDelayMs(attempt, undefined, most))).toEqual([
    1_000, 2_000, 4_000, 8_000,
  ]);
  expect(retryDelayMs(50, undefined, most)).toBe(60_000);
});

it("a hundred simultaneous failures retry at many different times", () => {
  const moments = new Set(
    Array.from({ length: 100 }, (_, i) => retryDelayMs(3, undefined, Math.floor((i / 100) * most))),
  );
  expect(moments.size).toBe(100);
});

it("the provider's retry time is respected: never earlier, and not all at once", () => {
  expect(retryDelayMs(1, 20_000, least)).toBe(20_000);
  expect(retryDelayMs(1, 20_000, most)).toBe(22_000);
  expect(retryDelayMs(9, 0, most)).toBe(0);
});

it("no retry time of a provider delays a run by more than an hour, and no wait exceeds the maximum", () => {
  expect(retryDelayMs(1, 24 * 60 * 60_000, least)).toBe(60 * 60_000);
  expect(retryDelayMs(1, 24 * 60 * 60_000, most)).toBeLessThanOrEqual(longestWaitMs);
});
