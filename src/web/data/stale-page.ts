/** Two reloads nearer to each other than this would be a loop: the file is missing for another reason. */
const againAfterMs = 60_000;
const key = "reloaded-at";

/** Imports under way that the page can do without. */
let optional = 0;

/** Loads code that the page can do without: null where it does not come, and no reload for its sake. */
export async function loadOptional<Module>(load: () => Promise<Module>): Promise<Module | null> {
  optional++;
  try {
    return await load();
  } catch {
    return null;
  } finally {
    optional--;
  }
}

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
    if (optional > 0) return;
    if (now() - before < againAfterMs || !(await isServerThere())) return;
    storage.setItem(key, String(now()));
    reload();
  };
}
