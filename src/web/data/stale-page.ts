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
  /** Whether the page is being left: browsers abort its requests then, and a reload would bring the person back to it. */
  isLeaving: () => boolean;
  /** Whether the server answers. A chunk that only the network lost is no reason to reload. */
  isServerThere: () => Promise<boolean>;
  reload: () => void;
};

/** A page that still stands this long after it was to be left stays: the address was a download's, say. */
const leavingMs = 10_000;

/** Whether the page is being left. */
export function watchLeaving(
  page: Pick<Window, "addEventListener">,
  now: () => number,
): () => boolean {
  let since = Number.NEGATIVE_INFINITY;
  for (const type of ["beforeunload", "pagehide"]) {
    page.addEventListener(type, () => {
      since = now();
    });
  }
  return () => now() - since < leavingMs;
}

/**
 * What a page does when a chunk of its build is gone, for the server has a newer one: it reloads once. What was typed is kept
 * as a draft. Where that did not help, the error goes its way to the screen's boundary.
 */
export function createStalePage({ storage, now, isLeaving, isServerThere, reload }: Page) {
  return async (): Promise<void> => {
    const before = Number(storage.getItem(key) ?? Number.NEGATIVE_INFINITY);
    if (optional > 0) return;
    if (isLeaving() || now() - before < againAfterMs || !(await isServerThere()) || isLeaving())
      return;
    storage.setItem(key, String(now()));
    reload();
  };
}
