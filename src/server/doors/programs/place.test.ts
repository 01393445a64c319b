import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createPlace } from "./place.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("a stream starts five seconds after its run gets a place, and not while the provider keeps sending it back", async () => {
  const place = createPlace();
  let isKept = false;
  place.isKept.then(() => (isKept = true));
  for (let tries = 0; tries < 4; tries++) {
    place.take();
    await vi.advanceTimersByTimeAsync(4_000);
    place.lose();
    await vi.advanceTimersByTimeAsync(2_000);
  }
  expect(isKept).toBe(false);
  place.take();
  await vi.advanceTimersByTimeAsync(4_999);
  expect(isKept).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(isKept).toBe(true);
});
