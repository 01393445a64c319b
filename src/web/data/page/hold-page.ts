const held = new Set<symbol>();
const ask = (event: BeforeUnloadEvent) => event.preventDefault();

/**
 * Holds the page for work that it alone has: bytes on their way, a recording. The browser asks before such a page is left, and the
 * program does not reload it.
 * @returns what lets go of it
 */
export function holdPage(): () => void {
  const work = Symbol();
  held.add(work);
  window.addEventListener("beforeunload", ask);
  return () => {
    held.delete(work);
    if (held.size === 0) window.removeEventListener("beforeunload", ask);
  };
}

export const isPageHeld = (): boolean => held.size > 0;
