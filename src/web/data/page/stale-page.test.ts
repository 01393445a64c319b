import { beforeEach, expect, it, vi } from "vitest";
import { createStalePage, loadOptional, watchLeaving } from "./stale-page.ts";

const reload = vi.fn();
let now = 0;
let isServerThere = true;
let isLeaving = false;
let isHeld = false;

function openPage() {
  const kept = new Map<string, string>();
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  };
  return createStalePage({
    storage,
    now: () => now,
    isLeaving: () => isLeaving,
    isHeld: () => isHeld,
    isServerThere: async () => isServerThere,
    reload,
  });
}
beforeEach(() => {
  reload.mockClear();
  now = 0;
  isServerThere = true;
  isLeaving = false;
  isHeld = false;
});

it("a page whose chunk is gone reloads, but not repeatedly if that doesn't help", async () => {
  const onPreloadError = openPage();
  await onPreloadError();
  now += 1_000;
  await onPreloadError();
  expect(reload).toHaveBeenCalledTimes(1);
  now += 3_600_000;
  await onPreloadError();
  expect(reload).toHaveBeenCalledTimes(2);
});

it("a page that lost its connection stays, with everything on it", async () => {
  const onPreloadError = openPage();
  isServerThere = false;
  await onPreloadError();
  expect(reload).not.toHaveBeenCalled();
  isServerThere = true;
  await onPreloadError();
  expect(reload).toHaveBeenCalledTimes(1);
});

it("a page being left isn't reloaded because of its aborted chunk, although the server answers", async () => {
  const onPreloadError = openPage();
  isLeaving = true;
  await onPreloadError();
  expect(reload).not.toHaveBeenCalled();
});

it("a page with an unfinished upload stays, and reloads for a later chunk", async () => {
  const onPreloadError = openPage();
  isHeld = true;
  await onPreloadError();
  expect(reload).not.toHaveBeenCalled();
  isHeld = false;
  await onPreloadError();
  expect(reload).toHaveBeenCalledTimes(1);
});

it("a page that is left while the server is asked is left alone too", async () => {
  const stale = createStalePage({
    storage: { getItem: () => null, setItem: () => undefined },
    now: () => now,
    isLeaving: () => isLeaving,
    isHeld: () => isHeld,
    isServerThere: async () => {
      isLeaving = true;
      return true;
    },
    reload,
  });
  await stale();
  expect(reload).not.toHaveBeenCalled();
});

it("a page still open after ten seconds isn't being left", () => {
  const page = new EventTarget();
  const leaving = watchLeaving(page as Window, () => now);
  expect(leaving()).toBe(false);
  page.dispatchEvent(new Event("beforeunload"));
  now += 9_000;
  expect(leaving()).toBe(true);
  now += 1_001;
  expect(leaving()).toBe(false);
});

it("code that is preloaded reloads no page", async () => {
  const onPreloadError = openPage();
  const chunk = Promise.withResolvers<never>();
  const early = loadOptional(() => chunk.promise);
  await onPreloadError();
  chunk.reject(new Error("aborted"));
  expect(await early).toBeNull();
  expect(reload).not.toHaveBeenCalled();
});

it("a screen preloaded for a hovered link reloads the page once the link is opened, and not before", async () => {
  const onPreloadError = openPage();
  const chunk = Promise.withResolvers<never>();
  let isOpened = false;
  const early = loadOptional(
    () => chunk.promise,
    () => isOpened,
  );
  await onPreloadError();
  expect(reload).not.toHaveBeenCalled();
  isOpened = true;
  await onPreloadError();
  expect(reload).toHaveBeenCalledTimes(1);
  chunk.reject(new Error("gone"));
  expect(await early).toBeNull();
});
