import { setTimeout } from "node:timers/promises";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";

/** Closes a profile whose own `close` gives it back to its studio. */
export const closeForGood = (context: BrowserContext): Promise<void> =>
  Object.getPrototypeOf(context).close.call(context);

export type ProfileOptions = BrowserContextOptions & {
  /** A profile that nobody had: its pages load every script, and it may be changed for good, as by a clock. */
  isNew?: boolean;
};

/** How many times slower the browser runs than it could: finds what only a quick browser does right. */
const slowness = Number(process.env.TEST_SLOWNESS ?? 1);

async function openPage(context: BrowserContext): Promise<Page> {
  const page = await context.newPage();
  if (slowness > 1) {
    const session = await context.newCDPSession(page);
    await session.send("Emulation.setCPUThrottlingRate", { rate: slowness });
  }
  return page;
}

/** What the app keeps in a browser beside its cookies. */
const keptTypes = "local_storage,indexeddb,cache_storage,service_workers";

/**
 * Opens browser profiles for the app at `url`. Closing one gives it back, and it serves the next who asks with the same options, without
 * what a person left in it. The app's files stay in its cache, compiled: in a new profile, sending, loading and compiling them
 * again is most of a short test's work. Chromium may never close a page that is just being loaded again (seen in one of twenty): such a
 * profile is closed itself, which always works, and serves nobody else. A script for each page belongs to the page, as a profile never forgets one.
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
    const giveBack = async () => {
      if (idle.some((one) => one.context === context)) return;
      const closing = Promise.all(context.pages().map((page) => page.close()));
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
