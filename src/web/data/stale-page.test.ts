import { beforeEach, expect, it, vi } from "vitest";
import { createStalePage } from "./stale-page.ts";

const reload = vi.fn();
let now = 0;
let isServerThere = true;

function openPage() {
  const kept = new Map<string, string>();
  const storage = { getItem: (key: string) => kept.get(key) ?? null, setItem: (key: string, value: string) => void kept.set(key, value) };
  return createStalePage({ storage, now: () => now, isServerThere: async () => isServerThere, reload });
}
beforeEach(() => {
  reload.mockClear();
  now = 0;
  isServerThere = true;
});

it("a page whose chunk is gone reloads, and not again and again when that does not help", async () => {
  const onPreloadError = openPage();
  await onPreloadError();
  now += 1_000;
  await onPreloadError();
  expect(reload).toHaveBeenCalledTimes(1);
  now += 3_600_000;
  await onPreloadError();
  expect(reload).toHaveBeenCalledTimes(2);
});

it("a page that lost its line stays, with all that is on it", async () => {
  const onPreloadError = openPage();
  isServerThere = false;
  await onPreloadError();
  expect(reload).not.toHaveBeenCalled();
  isServerThere = true;
  await onPreloadError();
  expect(reload).toHaveBeenCalledTimes(1);
});
