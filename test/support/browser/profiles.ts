import { setTimeout } from "node:timers/promises";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";

/** Closes a profile whose own `close` returns it to its studio. */
export const closeForGood = (context: BrowserContext): Promise<void> =>
  Object.getPrototypeOf(context).close.call(context);

export type ProfileOptions = BrowserContextOptions & {
  /**
   * An unused profile: its pages load every script, and it may be changed permanently, for example
   * with a fake clock.
   */
  isNew?: boolean;
};

/** How many times slower the browser runs, which reveals tests that depend on a fast browser. */
const slowness = Number(process.env.TEST_SLOWNESS ?? 1);

async function openPage(context: BrowserContext): Promise<Page> {
  const page = await context.newPage();
  if (slowness > 1) {
    const session = await context.newCDPSession(page);
    await session.send("Emulation.setCPUThrottlingRate", { rate: slowness });
  }
  return page;
}

/** The data that the app keeps in a browser in addition to cookies. */
const keptTypes = "local_storage,indexeddb,cache_storage,service_workers";

/**
 * Opens a page without scripts that keeps the profile's renderer process: starting one and loading
 * the app in it is half of a short test's work. Undefined if the server is away.
 */
async function park(context: BrowserContext, url: string): Promise<Page | undefined> {
  const page = await context.newPage();
  try {
    await page.goto(`${url}/healthz`, { timeout: 5_000 });
    return page;
  } catch {
    await page.close();
    return undefined;
  }
}

/**
 * Opens browser profiles for the app at `url`. Closing a profile returns it, and it is cleared and
 * reused for the same options. The app's files stay in its cache, compiled, because sending,
 * loading and compiling them is most of a short test's work. Chromium may never finish closing a
 * page that is reloading (seen once in twenty); such a profile is closed permanently, which always
 * works. Scripts that run on each page are added per page, because a profile never forgets them.
 */
export function createProfiles(url: string) {
  const idle: { context: BrowserContext; key: string }[] = [];

  const create = (browser: Browser, options: BrowserContextOptions): Promise<BrowserContext> =>
    browser.newContext({
      baseURL: url,
      viewport: { width: 1440, height: 900 },
      reducedMotion: "reduce",
      ...options,
    });

  function reuseWhenClosed(context: BrowserContext, key: string): BrowserContext {
    let parked: Page | undefined;
    const empty = async () => {
      parked ??= await park(context, url);
      const used = context.pages().filter((page) => page !== parked);
      await Promise.all(used.map((page) => page.close()));
    };
    const giveBack = async () => {
      if (idle.some((one) => one.context === context)) return;
      const closing = empty();
      if ((await Promise.race([closing, setTimeout(10_000, "stuck", { ref: false })])) === "stuck")
        return closeForGood(context);
      await Promise.all([
        context.clearCookies(),
        context.setOffline(false),
        context.unrouteAll({ behavior: "ignoreErrors" }),
      ]);
      idle.push({ context, key });
    };
    return Object.assign(context, { close: giveBack });
  }

  function take(browser: Browser, key: string): BrowserContext | undefined {
    const at = idle.findIndex((one) => one.key === key && one.context.browser() === browser);
    return at < 0 ? undefined : idle.splice(at, 1)[0]?.context;
  }

  return async function openProfile(
    browser: Browser,
    { isNew, extraHTTPHeaders, ...options }: ProfileOptions = {},
  ): Promise<{ context: BrowserContext; page: Page }> {
    if (isNew) {
      const context = await create(browser, { extraHTTPHeaders, ...options });
      return { context, page: await openPage(context) };
    }
    const key = JSON.stringify(options);
    const used = take(browser, key);
    const context = used ?? reuseWhenClosed(await create(browser, options), key);
    await context.setExtraHTTPHeaders(extraHTTPHeaders ?? {});
    const page = await openPage(context);
    if (used) {
      const session = await context.newCDPSession(page);
      await session.send("Storage.clearDataForOrigin", { origin: url, storageTypes: keptTypes });
      await session.detach();
    }
    return { context, page };
  };
}
