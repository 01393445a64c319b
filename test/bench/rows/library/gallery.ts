import type { Page } from "playwright-core";
import type { Bench } from "../../bench.ts";
import { longestTask, nowIn, openBrowser, openPage, untilQuiet } from "../../browser.ts";
import { atMost, beside, type Figure, percentile, type Row, round } from "../../figures.ts";
import { seedAssets } from "../../seed-assets.ts";
import { storePictures } from "../../seed-pictures.ts";
import { openStudio } from "../../studio.ts";
import { assetCount } from "./library.ts";

const nodeBound = 1_500;
const jumpBoundMs = 100;
/** The distance of a wheel's notch, and the number of notches. */
const notchPx = 240;
const notches = 120;
const notchMs = 25;

async function measure(bench: Bench): Promise<Figure[]> {
  const studio = await openStudio(bench, {
    provider: { tokens: 1, firstTokenMs: 0, betweenMs: 0 },
    seed: async (store, { projectId, userId, dataFolder }) =>
      seedAssets(store, {
        projectId,
        userId,
        count: assetCount,
        pictures: await storePictures(dataFolder),
      }),
  });
  const browser = await openBrowser(bench);
  try {
    const page = await openPage(browser, studio, "/library");
    await page.getByRole("gridcell").first().waitFor();
    await untilQuiet(page);
    const openedMs = await nowIn(page);
    const opening = await longestTask(page, 0);
    return [
      ...(await measureScrolling(page)),
      ...(await measureJumps(page, bench.long ? 40 : 10)),
      beside(
        "  opening it: until the network is quiet, longest task",
        `${round(openedMs)} ms, ${round(opening.longestMs)} ms`,
      ),
    ];
  } finally {
    await browser.close();
    await studio.stop();
  }
}

/** Turns the wheel over the gallery, like a hand, and checks the page at each notch. */
async function measureScrolling(page: Page): Promise<Figure[]> {
  const box = await page.getByRole("grid").locator("..").boundingBox();
  await page.mouse.move((box?.x ?? 0) + 300, 500);
  const sinceMs = await nowIn(page);
  let nodes = 0;
  for (let i = 0; i < notches; i++) {
    await page.mouse.wheel(0, notchPx);
    if (i % 10 === 0) nodes = Math.max(nodes, await countNodes(page));
    await page.waitForTimeout(notchMs);
  }
  const seen = await firstRow(page);
  if (seen < 10) throw new Error(`the wheel did not move the gallery (row ${seen})`);
  const tasks = await longestTask(page, sinceMs);
  return [
    atMost(
      "scrolling 100,000 assets: longest task",
      tasks.longestMs,
      50,
      "ms",
      `${tasks.count} tasks over 50 ms; 0 when none`,
    ),
    atMost("scrolling 100,000 assets: most DOM nodes", nodes, nodeBound, "nodes"),
  ];
}

const countNodes = (page: Page): Promise<number> =>
  page.evaluate(() => document.querySelectorAll("*").length);
const firstRow = (page: Page): Promise<number> =>
  page.evaluate(() =>
    Number(document.querySelectorAll("[role=row]")[1]?.getAttribute("aria-rowindex") ?? 0),
  );

/** Presses the date slider's keys that go to its ends, alternately. */
async function measureJumps(page: Page, times: number): Promise<Figure[]> {
  const sinceMs = await nowIn(page);
  const jumps: { drawnMs: number; picturesMs: number }[] = [];
  for (let i = 0; i < times; i++) {
    jumps.push(await page.evaluate(jump, i % 2 === 0 ? ("End" as const) : ("Home" as const)));
    await page.waitForTimeout(300);
  }
  const tasks = await longestTask(page, sinceMs);
  const drawn = jumps.map((jump) => jump.drawnMs);
  const pictures = jumps.map((jump) => jump.picturesMs);
  return [
    atMost(
      "a far jump over 100,000 assets, until its rows are drawn",
      percentile(drawn, 0.5),
      jumpBoundMs,
      "ms",
      `median of ${times}, slowest ${round(Math.max(...drawn))} ms`,
    ),
    beside(
      "  until its pictures are loaded, longest task",
      `${round(percentile(pictures, 0.5))} ms, ${round(tasks.longestMs)} ms`,
    ),
  ];
}

/**
 * Runs in the page: presses the key on the slider and returns the times until rows of that end, and
 * pictures in them, are painted.
 */
export async function jump(key: "End" | "Home"): Promise<{ drawnMs: number; picturesMs: number }> {
  const frame = (): Promise<number> => new Promise((resolve) => requestAnimationFrame(resolve));
  const slider = document.querySelector<HTMLElement>("[role=slider][aria-orientation=vertical]");
  const grid = document.querySelector("[role=grid]");
  if (!slider || !grid) throw new Error("the gallery has no slider of dates");
  const wanted = key === "End" ? Number(grid.getAttribute("aria-rowcount")) : 1;
  const since = performance.now();
  slider.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  const until = async (there: () => boolean): Promise<number> => {
    while (!there()) {
      if (performance.now() - since > 10_000) throw new Error(`not within 10 s: ${key}`);
      await frame();
    }
    // The frame that shows it ends when the next one begins.
    await frame();
    return performance.now() - since;
  };
  const row = (): Element | null => document.querySelector(`[role=row][aria-rowindex="${wanted}"]`);
  const isInSight = (): boolean => {
    const box = row()?.getBoundingClientRect();
    return box !== undefined && box.bottom > 0 && box.top < innerHeight;
  };
  const drawnMs = await until(isInSight);
  const picturesMs = await until(() => {
    const pictures = [...(row()?.querySelectorAll("img") ?? [])];
    return pictures.length > 0 && pictures.every((picture) => picture.complete);
  });
  return { drawnMs, picturesMs };
}

export const gallery: Row<Bench> = {
  name: "gallery",
  what: "scrolling 100,000 assets and far jumps in the browser",
  measure,
};
