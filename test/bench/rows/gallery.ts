import type { CDPSession, Page } from "playwright-core";
import type { Bench } from "../bench.ts";
import { longestTask, nowIn, openBrowser, openPage, rendererTime, untilQuiet } from "../browser.ts";
import {
  atMost,
  beside,
  type Figure,
  notMeasured,
  percentile,
  type Row,
  ratio,
  round,
} from "../figures.ts";
import { seedAssets } from "../seed-assets.ts";
import { seedHistory } from "../seed-history.ts";
import { storePictures } from "../seed-pictures.ts";
import { openStudio, type Studio } from "../studio.ts";
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
async function jump(key: "End" | "Home"): Promise<{ drawnMs: number; picturesMs: number }> {
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

const openTimes = { usual: 5, long: 15 };
const maxOpenRatio = 2;
const openFew = 1_000;
/** Files of the date in the middle. */
const ofDate = 200;

type Opened = { studio: Studio; page: Page };
/** `prepare` says what the address asks for; its cost is not measured. */
type Opening = [
  what: string,
  prepare: (studio: Studio) => string | Promise<string>,
  open: (page: Page, query: string) => Promise<void>,
];

/** Opens the library with cached scripts, and waits until the visible pictures are loaded. */
async function openByAddress(page: Page, query: string): Promise<void> {
  await page.goto(`/library${query}`);
  await page.waitForFunction(
    () => {
      const pictures = [...document.querySelectorAll<HTMLImageElement>("[role=gridcell] img")];
      return pictures.length > 0 && pictures.every(({ complete }) => complete);
    },
    undefined,
    { polling: 100 },
  );
}

async function jumpAcross(page: Page): Promise<void> {
  for (const key of ["End", "Home"] as const) await page.evaluate(jump, key);
}

const newestOf = async ({ session, projectId }: Studio) =>
  (await session.call("listAssets", { query: { projectId, limit: "1" } })).assets[0]!;

/** Some files in the middle of all. */
async function middleDate(studio: Studio): Promise<string> {
  const { count } = await studio.session.call("layoutAssets", {
    query: { projectId: studio.projectId },
  });
  const middle = (await newestOf(studio)).createdAt - (count / 2) * 1_000;
  return `?createdAt=${middle}..${middle + ofDate * 1_000}`;
}

async function changeOne(studio: Studio): Promise<string> {
  const { id, rating } = await newestOf(studio);
  await studio.session.call("updateAsset", {
    params: { assetId: id },
    body: { rating: rating === 5 ? 1 : rating + 1 },
  });
  return "";
}

const openings: readonly Opening[] = [
  ["to first thumbnails", () => "", openByAddress],
  ["after a change", changeOne, openByAddress],
  ["to the oldest and back by the dates", () => "", jumpAcross],
  ["a date in the middle", middleDate, openByAddress],
  ["kept", () => "?view=kept", openByAddress],
  ["of a model", ({ model }) => `?model=${model.connectionId}/model-3`, openByAddress],
  ["of a shape", () => "?aspect=landscape", openByAddress],
  ["a word that one in ten has", () => "?q=heron", openByAddress],
  ["a word that one has", () => "?q=number500", openByAddress],
  ["sorted by cost", () => "?sort=costMicros", openByAddress],
];

async function measureOpening(bench: Bench): Promise<Figure[]> {
  const browser = await openBrowser(bench);
  const both: Opened[] = [];
  try {
    for (const count of [openFew, assetCount]) {
      const studio = await openStudio(bench, {
        provider: { tokens: 1, firstTokenMs: 0, betweenMs: 0 },
        seed: async (store, { projectId, userId, connectionId, dataFolder }) =>
          seedHistory(store, {
            count,
            projectIds: [projectId],
            userId,
            connectionId,
            now: Date.now(),
            pictures: await storePictures(dataFolder),
          }),
      });
      both.push({ studio, page: await openPage(browser, studio, "/library") });
    }
    const cdp = await browser.newBrowserCDPSession();
    const figures: Figure[] = [];
    for (const opening of openings) {
      const what = `the library of 100,000 beside 1,000, ${opening[0]}`;
      const times = bench.long ? openTimes.long : openTimes.usual;
      figures.push(
        await measureByTurn(both, cdp, opening, times).then(
          ([few = Number.NaN, many = Number.NaN]) => ratio(what, few, many, maxOpenRatio),
          (error: unknown) => notMeasured(what, `≤ ${maxOpenRatio}`, String(error)),
        ),
      );
    }
    return figures;
  } finally {
    await browser.close();
    await Promise.all(both.map(({ studio }) => studio.stop()));
  }
}

/** Medians of the CPU that the page and all threads of the server take, of each library. */
async function measureByTurn(
  both: readonly Opened[],
  cdp: CDPSession,
  [, prepare, open]: Opening,
  times: number,
): Promise<number[]> {
  const spent = both.map((): number[] => []);
  for (let time = -1; time < times; time++)
    for (const [index, { studio, page }] of both.entries()) {
      const query = await prepare(studio);
      const cpuMs = async () => (await rendererTime(cdp)) + studio.server.cpuMs();
      const before = await cpuMs();
      await open(page, query);
      const ms = (await cpuMs()) - before;
      // The first time warms up.
      if (time >= 0) spent[index]?.push(ms);
    }
  return spent.map((all) => percentile(all, 0.5));
}

export const opening: Row<Bench> = {
  name: "opening",
  what: "CPU of opening the library of 100,000 beside 1,000, to the first thumbnails",
  measure: measureOpening,
};
