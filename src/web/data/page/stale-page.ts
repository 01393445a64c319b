/** Two reloads nearer to each other than this would be a loop: the file is missing for another reason. */
const againAfterMs = 60_000;
const key = "reloaded-at";

/** Imports under way that the page can do without, each with what may make it necessary after all. */
const optional = new Set<() => boolean>();

/**
 * Loads code that the page can do without: null where it does not come, and no reload for its sake.
 * @param isNeeded whether the page can't do without it any more: a link that was hovered is opened
 */
export async function loadOptional<Module>(
  load: () => Promise<Module>,
  isNeeded = () => false,
): Promise<Module | null> {
  // One function may stand for several imports: each gets an entry of its own.
  const entry = () => isNeeded();
  optional.add(entry);
  try {
    return await load();
  } catch {
    return null;
  } finally {
    optional.delete(entry);
  }
}

type Page = {
  storage: Pick<Storage, "getItem" | "setItem">;
  now: () => number;
  /** Whether the page is being left: browsers abort its requests then, and a reload would bring the person back to it. */
  isLeaving: () => boolean;
  /** Whether the page has work that a reload would lose. */
  isHeld: () => boolean;
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
export function createStalePage({ storage, now, isLeaving, isHeld, isServerThere, reload }: Page) {
  return async (): Promise<void> => {
    const before = Number(storage.getItem(key) ?? Number.NEGATIVE_INFINITY);
    if ([...optional].some((isNeeded) => !isNeeded())) return;
    if (now() - before < againAfterMs || isLeaving() || isHeld()) return;
    if (!(await isServerThere()) || isLeaving() || isHeld()) return;
    storage.setItem(key, String(now()));
    reload();
  };
}
