import type { Page, Request, Route } from "playwright-core";
import { soon } from "../soon.ts";

type Rect = { x: number; y: number; width: number; height: number };
type Shift = PerformanceEntry & {
  value: number;
  sources: { node: Node | null; previousRect: Rect; currentRect: Rect }[];
};
declare global {
  interface Window {
    /**
     * The page's layout shifts (https://web.dev/articles/cls) counted by `watchShifts`, with the
     * moved elements.
     */
    shifts: { value: number; moved: string[] }[];
  }
}

/**
 * Counts layout shifts on each page opened from now on.
 * @returns a function that reads the current page's sum and the moved elements
 */
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

/** Holds matching requests until they are released. `held` may be emptied one by one. */
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

/**
 * Loses the reply to the next matching request, after the server has accepted it.
 * @returns resolves when it is lost
 */
export function loseReply(page: Page, url: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const lose = async (route: Route) => {
    await route.fetch();
    await route.abort();
  };
  void page.route(url, (route) => lose(route).then(resolve, reject), { times: 1 });
  return promise;
}

/** Waits until pending changes are drawn. */
export const drawn = (page: Page): Promise<unknown> =>
  page.evaluate(() => new Promise((next) => requestAnimationFrame(() => setTimeout(next))));

/** The session and the frame's requests, without which no screen appears. */
const isOfFrame = /\/api\/v1\/(session|instance|live)$/;

/**
 * Opens an address and answers one request after another, drawing after each. Pictures and code
 * chunks wait as well.
 * @param order chooses which pending request is answered next
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
    // A request canceled by the page has no answer.
    await route.fallback().catch(() => undefined);
    await (await route.request().response())?.finished();
    await drawn(page);
  }
  await release();
}
