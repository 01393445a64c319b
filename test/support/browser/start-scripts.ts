import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Page } from "playwright-core";

const webFolder = join(import.meta.dirname, "..", "..", "..", "dist", "web");

/** The bound for the scripts that a page loads at its start, in KB of gzip. */
export const startScriptsKb = 200;

/**
 * An init script that leaves out the popups for the next click. They are loaded 1.5 s after a
 * page's start (`usePreload`), and no first view waits for them. On a busy machine, or while
 * pictures keep loading, they would arrive before the network is idle.
 */
export function leaveOutEarly(): void {
  const wait = window.setTimeout.bind(window);
  const wrapped = (run: TimerHandler, ms?: number, ...rest: unknown[]) =>
    ms === 1_500 ? 0 : wait(run, ms, ...rest);
  window.setTimeout = wrapped as typeof window.setTimeout;
}

/**
 * The size of the scripts that a page has loaded so far, also from the browser's cache, in KB of
 * gzip. The built files are compressed here, independent of the server's compression.
 */
export async function scriptsOf(page: Page): Promise<number> {
  const addresses = await page.evaluate(() =>
    performance.getEntriesByType("resource").map((entry) => entry.name),
  );
  const paths = new Set(
    addresses.map((address) => new URL(address).pathname).filter((path) => path.endsWith(".js")),
  );
  return (
    [...paths].reduce(
      (sum, path) => sum + gzipSync(readFileSync(join(webFolder, path))).byteLength,
      0,
    ) / 1024
  );
}
