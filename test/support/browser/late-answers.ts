import type { Page, Request, Route } from "playwright-core";
import { soon } from "../soon.ts";

type Rect = { x: number; y: number; width: number; height: number };
type Shift = PerformanceEntry & {
  value: number;
  sources: { node: Node | null; previousRect: Rect; currentRect: Rect }[];
};
declare global {
  interface Window {
    /** The page's layout shifts (https://web.dev/articles/cls), as `watchShifts` counts them, with what moved in each. */
    shifts: { value: number; moved: string[] }[];
  }
}

/** Counts what moves on each page that is opened from now on. @returns the sum for the present one, and what moved */
export async function watchShifts(page: Page) {
  await page.addInitScript(() => {
    const place = ({ x, y, width, height }: Rect) => `${x},${y} ${width}x${height}`;
    const nameOf = (node: Node | null) =>
      node instanceof Element ? `${node.localName}.${node.className}` : node?.textContent;
    window.shifts = [];
    new PerformanceObserver((list) => {
      for (const { value, sources } of list.getEntries() as Shift[])
        window.shifts.push({
          value,
          moved: sources.map(
            ({ node, previousRect, currentRect }) =>
              `${nameOf(node)}: ${place(previousRect)} to ${place(currentRect)}`,
          ),
        });
    }).observe({ type: "layout-shift", buffered: true });
  });
  const read = () => page.evaluate(() => window.shifts);
  return {
    sum: async (): Promise<number> => (await read()).reduce((sum, { value }) => sum + value, 0),
    words: async (): Promise<string> => JSON.stringify(await read(), null, 1),
  };
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
      await Promise.all(held.map((route) => route.fallback()));
    },
  };
}

/** Until what came is drawn. */
export const drawn = (page: Page): Promise<unknown> =>
  page.evaluate(() => new Promise((next) => requestAnimationFrame(() => setTimeout(next))));

/** Who one is and what the frame needs: without it there is no screen. */
const isOfFrame = /\/api\/v1\/(session|instance|live)$/;

/**
 * Opens an address and lets one answer come after the other, each drawn before the next. Pictures and the code of parts wait as well.
 * @param order which of those that were asked for comes first
 */
export async function openSlowly(
  page: Page,
  path: string,
  order: "oldest" | "newest",
): Promise<void> {
  let isOpen = false;
  const { held, release } = await holdBack(page, (request) => {
    const { pathname } = new URL(request.url());
    const isPart = isOpen && request.resourceType() === "script";
    return isPart || (pathname.startsWith("/api/v1/") && !isOfFrame.test(pathname));
  });
  await page.goto(path);
  await page.locator("main").waitFor();
  isOpen = true;
  await soon(() => held.length > 0).toBe(true);
  const next = () => (order === "oldest" ? held.shift() : held.pop());
  for (let route = next(); route; route = next()) {
    // One that the page has given up meanwhile has no answer.
    await route.fallback().catch(() => undefined);
    await (await route.request().response())?.finished();
    await drawn(page);
  }
  await release();
}
