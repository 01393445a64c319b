/** Two reloads nearer to each other than this would be a loop: the file is missing for another reason. */
const againAfterMs = 60_000;
const key = "reloaded-at";

type Page = {
  storage: Pick<Storage, "getItem" | "setItem">;
  now: () => number;
  /** Whether the server answers. A chunk that only the line lost, or a page that is being left, is no reason to reload. */
  isServerThere: () => Promise<boolean>;
  reload: () => void;
};

/**
 * What a page does when a chunk of its build is gone, for the server has a newer one: it reloads once. What was typed is kept
 * as a draft. Where that did not help, the error goes its way to the screen's boundary.
 */
export function createStalePage({ storage, now, isServerThere, reload }: Page) {
  return async (): Promise<void> => {
    const before = Number(storage.getItem(key) ?? Number.NEGATIVE_INFINITY);
    if (now() - before < againAfterMs || !(await isServerThere())) return;
    storage.setItem(key, String(now()));
    reload();
  };
}
