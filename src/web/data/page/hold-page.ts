const held = new Set<symbol>();
const ask = (event: BeforeUnloadEvent) => event.preventDefault();

/**
 * Holds the page during work that only this page has, such as an upload or a recording. The browser
 * then asks before leaving, and the app doesn't reload the page.
 * @returns a function that releases the page
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
