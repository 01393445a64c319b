import { expect, it } from "vitest";
import { longestWaitMs, retryDelayMs } from "./backoff.ts";

const least = 0;
const most = 2 ** 31 - 1;

it("waits double from one second to one minute, of which chance leaves out up to half", () => {
  expect([1, 2, 3, 4].map((attempt) => retryDelayMs(attempt, undefined, least))).toEqual([
    500, 1_000, 2_000, 4_000,
  ]);
  expect([1, 2, 3, 4].map((attempt) => retryDelayMs(attempt, undefined, most))).toEqual([
    1_000, 2_000, 4_000, 8_000,
  ]);
  expect(retryDelayMs(50, undefined, most)).toBe(60_000);
});

it("a hundred that failed at once come again at many moments", () => {
  const moments = new Set(
    Array.from({ length: 100 }, (_, i) => retryDelayMs(3, undefined, Math.floor((i / 100) * most))),
  );
  expect(moments.size).toBe(100);
});

it("the provider's word is kept: never sooner, and not all at the same moment", () => {
  expect(retryDelayMs(1, 20_000, least)).toBe(20_000);
  expect(retryDelayMs(1, 20_000, most)).toBe(22_000);
  expect(retryDelayMs(9, 0, most)).toBe(0);
});

it("no word of a provider holds a run for longer than an hour, and no wait is longer than the longest", () => {
  expect(retryDelayMs(1, 24 * 60 * 60_000, least)).toBe(60 * 60_000);
  expect(retryDelayMs(1, 24 * 60 * 60_000, most)).toBeLessThanOrEqual(longestWaitMs);
});
