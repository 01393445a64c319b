import type { Page, Request, Route } from "playwright-core";

type Shift = PerformanceEntry & { value: number };
declare global {
  interface Window {
    /** The sum of the page's layout shifts (https://web.dev/articles/cls), as `watchShifts` counts them. */
    shifted: number;
  }
}

/** Counts what moves on each page that is opened from now on. @returns the sum for the present one */
export async function watchShifts(page: Page): Promise<() => Promise<number>> {
  await page.addInitScript(() => {
    window.shifted = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as Shift[]) window.shifted += entry.value;
    }).observe({ type: "layout-shift", buffered: true });
  });
  return () => page.evaluate(() => window.shifted);
}

/** Holds such requests back until they are released. `held` may be emptied one by one meanwhile. */
export async function holdBack(page: Page, isHeld: (request: Request) => boolean) {
  const held: Route[] = [];
  let isOver = false;
  await page.route("**", (route) => {
    if (isOver || !isHeld(route.request())) return route.fallback();
    held.push(route);
    return undefined;
  });
  return {
    held,
    async release(): Promise<void> {
      isOver = true;
      await Promise.all(held.map((route) => route.continue()));
    },
  };
}

/** Until what came is drawn. */
export const drawn = (page: Page): Promise<unknown> =>
  page.evaluate(() => new Promise((next) => requestAnimationFrame(() => setTimeout(next))));
