import { expect, it, vi } from "vitest";
import { createStalePage } from "./stale-page.ts";

it("a page whose chunk is gone reloads, and not again and again when that does not help", () => {
  const kept = new Map<string, string>();
  const storage = { getItem: (key: string) => kept.get(key) ?? null, setItem: (key: string, value: string) => void kept.set(key, value) };
  const reload = vi.fn();
  let now = 0;
  const onPreloadError = createStalePage({ storage, now: () => now, reload });
  onPreloadError();
  now += 1_000;
  onPreloadError();
  expect(reload).toHaveBeenCalledTimes(1);
  now += 3_600_000;
  onPreloadError();
  expect(reload).toHaveBeenCalledTimes(2);
});
