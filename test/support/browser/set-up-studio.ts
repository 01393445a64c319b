import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import { launchBrowser } from "./chromium.ts";
import { keepStrict } from "./strict-page.ts";
import { type Studio, startStudio } from "./studio-in-browser.ts";

/** A browser and a studio for a file's tests, and pages of its owner that report every error. */
export function setUpStudio() {
  let browser: Browser | undefined;
  let studio: Studio | undefined;
  beforeAll(async () => {
    [browser, studio] = await Promise.all([launchBrowser(), startStudio()]);
  });
  afterAll(async () => {
    await browser?.close();
    await studio?.stop();
  });
  return {
    browser: () => browser!,
    studio: () => studio!,
    async open(path: string, options?: Parameters<Studio["openAs"]>[1]): Promise<Page> {
      const { page } = await studio!.openAs(browser!, options);
      keepStrict(page);
      await page.goto(path);
      return page;
    },
  };
}
