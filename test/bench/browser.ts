import type { Browser, CDPSession, Page } from "playwright-core";
import { launchBrowser } from "../support/browser/chromium.ts";
import type { Bench } from "./bench.ts";
import type { Studio } from "./studio.ts";

/** How long an element may take to appear before a row gives up. */
const appearMs = 20_000;

declare global {
  interface Window {
    /** Filled by the observers that every measured page starts with. */
    benchTasks: { startMs: number; durationMs: number }[];
    benchPaintMs: number;
  }
}

/**
 * A real Chromium on every core, because it represents the person's machine and isn't load. Ends
 * with the run.
 */
export async function openBrowser(bench: Bench): Promise<Browser> {
  bench.cores.takeAll();
  const browser = await launchBrowser();
  bench.onEnd(() => browser.close());
  return browser;
}

/**
 * A page in a fresh profile, signed in or not, that records its long tasks (over 50 ms) and its
 * largest contentful paint.
 * @param more code that runs before the page's own scripts
 */
export async function openPage(
  browser: Browser,
  studio: Studio,
  path: string,
  who: "owner" | "stranger" = "owner",
  more?: () => void,
): Promise<Page> {
  const context = await browser.newContext({
    baseURL: studio.server.url,
    viewport: { width: 1440, height: 900 },
  });
  const [name, value] = studio.session.cookie.split(";")[0]!.split("=") as [string, string];
  if (who === "owner")
    await context.addCookies([
      { name, value, url: studio.server.url, httpOnly: true, sameSite: "Lax" },
    ]);
  await context.addInitScript(() => {
    window.benchTasks = [];
    window.benchPaintMs = Number.NaN;
    new PerformanceObserver((list) => {
      for (const { startTime, duration } of list.getEntries())
        window.benchTasks.push({ startMs: startTime, durationMs: duration });
    }).observe({ type: "longtask", buffered: true });
    new PerformanceObserver((list) => {
      for (const { startTime } of list.getEntries()) window.benchPaintMs = startTime;
    }).observe({ type: "largest-contentful-paint", buffered: true });
  });
  if (more) await context.addInitScript(more);
  const page = await context.newPage();
  page.setDefaultTimeout(appearMs);
  await page.goto(path);
  return page;
}

/** Waits until the network is idle for half a second. */
export const untilQuiet = (page: Page): Promise<void> =>
  page.waitForLoadState("networkidle", { timeout: appearMs });

export const nowIn = (page: Page): Promise<number> => page.evaluate(() => performance.now());

/**
 * The longest task started since a time, in ms; 0 if none took over 50 ms, because shorter ones
 * aren't reported.
 */
export async function longestTask(
  page: Page,
  sinceMs: number,
): Promise<{ longestMs: number; count: number }> {
  const tasks = await page.evaluate(
    (since) => window.benchTasks.filter((task) => task.startMs >= since),
    sinceMs,
  );
  return { longestMs: Math.max(0, ...tasks.map((task) => task.durationMs)), count: tasks.length };
}

/** The CPU time of all of a browser's renderers so far, in ms. */
export async function rendererTime(session: CDPSession): Promise<number> {
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  return processInfo
    .filter(({ type }) => type === "renderer")
    .reduce((sum, { cpuTime }) => sum + cpuTime * 1_000, 0);
}

/** Records the tasks of a page, for `endTasks`. */
export const beginTasks = (browser: Browser, page: Page): Promise<void> =>
  browser.startTracing(page, {
    categories: ["toplevel", "disabled-by-default-devtools.timeline", "__metadata"],
  });

/** The longest task of the page's main thread since `beginTasks`, in ms of CPU time. */
export const endTasks = async (browser: Browser): Promise<number> =>
  longestTaskOf(await browser.stopTracing());

type TraceEvent = {
  name: string;
  ph: string;
  tid: number;
  tdur?: number;
  args?: { name?: string };
};

function longestTaskOf(trace: Buffer): number {
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: TraceEvent[] };
  const mains = new Set(
    traceEvents
      .filter(({ name, args }) => name === "thread_name" && args?.name === "CrRendererMain")
      .map(({ tid }) => tid),
  );
  return traceEvents
    .filter(({ name, tid }) => name.endsWith("RunTask") && mains.has(tid))
    .reduce((most, { tdur = 0 }) => Math.max(most, tdur / 1_000), 0);
}
