import type { Browser } from "playwright-core";
import { type ScreenName, screens } from "#contract/screens.ts";
import { leaveOutEarly, scriptsOf, startScriptsKb } from "../../support/browser/start-scripts.ts";
import type { Bench } from "../bench.ts";
import { openBrowser, openPage, untilQuiet } from "../browser.ts";
import {
  atMost,
  beside,
  type Figure,
  notMeasured,
  percentile,
  type Row,
  round,
} from "../figures.ts";
import { openStudio, type Studio } from "../studio.ts";

const paintBoundMs = 1_500;
/** The paint can still grow for this long after the network is idle. */
const settleMs = 500;

async function measure(bench: Bench): Promise<Figure[]> {
  const studio = await openStudio(bench, {
    provider: { tokens: 1, firstTokenMs: 0, betweenMs: 0 },
  });
  const browser = await openBrowser(bench);
  try {
    return [
      ...(await measureScripts(browser, studio)),
      await measurePaint(browser, studio, bench.long ? 20 : 5),
    ];
  } finally {
    await browser.close();
    await studio.stop();
  }
}

/**
 * Every screen with an address without an id. Public screens are opened without a session; the
 * others would redirect such a visitor to sign-in.
 */
const visits = (Object.keys(screens) as ScreenName[]).flatMap((name) => {
  const path = screens[name].paths.find((candidate) => !candidate.includes("$"));
  return path
    ? [
        {
          path,
          who: screens[name].audience === "anyone" ? ("stranger" as const) : ("owner" as const),
        },
      ]
    : [];
});

async function measureScripts(browser: Browser, studio: Studio): Promise<Figure[]> {
  const sizes: [string, number][] = [];
  for (const { path, who } of visits) {
    const page = await openPage(browser, studio, path, who, leaveOutEarly);
    await untilQuiet(page);
    sizes.push([path, await scriptsOf(page)]);
    await page.context().close();
  }
  const largest = sizes.reduce((most, one) => (one[1] > most[1] ? one : most));
  return [
    atMost(
      "initial JavaScript, gzip, of the largest screen",
      largest[1],
      startScriptsKb,
      "KB",
      largest[0],
    ),
    beside("  each", sizes.map(([path, kb]) => `${path} ${kb.toFixed(0)}`).join(", ")),
  ];
}

async function measurePaint(browser: Browser, studio: Studio, times: number): Promise<Figure> {
  const took: number[] = [];
  for (let i = 0; i < times; i++) {
    const page = await openPage(browser, studio, "/chat");
    await untilQuiet(page);
    await page.waitForTimeout(settleMs);
    took.push(await page.evaluate(() => window.benchPaintMs));
    await page.context().close();
  }
  const name = "largest contentful paint of /chat, empty cache";
  if (took.some(Number.isNaN))
    return notMeasured(name, `≤ ${paintBoundMs} ms`, "the browser reported none");
  return atMost(
    name,
    percentile(took, 0.5),
    paintBoundMs,
    "ms",
    `median of ${times}, slowest ${round(Math.max(...took))} ms`,
  );
}

export const pageStart: Row<Bench> = {
  name: "page-start",
  what: "initial JavaScript of each screen, largest contentful paint of /chat",
  measure,
};
