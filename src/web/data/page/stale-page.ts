/** Two reloads closer together would be a loop: the file is missing for another reason. */
const againAfterMs = 60_000;
const key = "reloaded-at";

/** Pending optional imports, each with a test of whether it has become necessary. */
const optional = new Set<() => boolean>();

/**
 * Loads code that the page can do without. Returns null if loading fails, without reloading the
 * page.
 * @param isNeeded whether the code has become necessary, as when a hovered link is opened
 */
export async function loadOptional<Module>(
  load: () => Promise<Module>,
  isNeeded = () => false,
): Promise<Module | null> {
  // The same function may be passed for several imports, so each import gets its own entry.
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
  /**
   * Whether the person is leaving the page. Browsers then abort its requests, and a reload would
   * bring the person back.
   */
  isLeaving: () => boolean;
  /** Whether a reload would lose work. */
  isHeld: () => boolean;
  /** Whether the server answers. A chunk lost by the network alone is no reason to reload. */
  isServerThere: () => Promise<boolean>;
  reload: () => void;
};

/**
 * A page that is still open after this time isn't being left; the address may have been a download.
 */
const leavingMs = 10_000;

/** Watches whether the person is leaving the page. */
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
 * Reloads the page once if a chunk of its build is gone because the server has a newer build. Typed
 * text is saved as a draft. If the reload doesn't help, the error reaches the screen's error
 * boundary.
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
