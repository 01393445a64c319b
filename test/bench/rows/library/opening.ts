import { sql } from "kysely";
import type { Browser, CDPSession, Page } from "playwright-core";
import { assetSorts } from "#contract/filters/asset-filters.ts";
import type { Tx } from "#store/database/store.ts";
import type { Bench } from "../../bench.ts";
import {
  beginTasks,
  endTasks,
  openBrowser,
  openPage,
  rendererTime,
  untilQuiet,
} from "../../browser.ts";
import {
  atMost,
  beside,
  type Figure,
  notMeasured,
  percentile,
  type Row,
  ratio,
  round,
} from "../../figures.ts";
import { seedHistory } from "../../seed-history.ts";
import { storePictures } from "../../seed-pictures.ts";
import { openStudio, type Studio } from "../../studio.ts";
import { jump } from "./gallery.ts";
import { assetCount } from "./library.ts";

const openTimes = { usual: 3, long: 9 };
const maxOpenRatio = 2;
const openFew = 1_000;
/** The files of a small studio, whose opening has to leave the page responsive. */
const openSome = 320;
/** Files of the date in the middle. */
const ofDate = 200;

const tagId = "0199aaaa-0000-7000-8000-000000000001";
const collectionId = "0199aaaa-0000-7000-8000-000000000002";

/** Gives some of the files tags, a collection and runs that used them. */
async function sortIntoGroups(tx: Tx, projectId: string, userId: string): Promise<void> {
  const at = Date.now();
  await sql`insert into tag (id, project_id, name, folded, search, created_by, created_at)
    values (${tagId}, ${projectId}, 'tide', 'tide', 'tide', ${userId}, ${at})`.execute(tx);
  await sql`insert into asset_tag (asset_id, tag_id, user_id, at)
    select id, ${tagId}, ${userId}, ${at} from asset where id like '%1'`.execute(tx);
  await sql`insert into collection (id, project_id, kind, name, created_by, created_at, updated_at)
    values (${collectionId}, ${projectId}, 'manual', 'Almanac', ${userId}, ${at}, ${at})`.execute(
    tx,
  );
  await sql`insert into collection_item (collection_id, asset_id, order_key, added_by, added_at)
    select ${collectionId}, id, id, ${userId}, ${at} from asset where id like '%2'`.execute(tx);
  await sql`insert into run_input (run_id, asset_id, role)
    select run_id, id, 'image' from asset where id like '%3'`.execute(tx);
}

type Opened = { studio: Studio; page: Page };
/** `prepare` says what the address asks for; its cost is not measured. */
type Opening = [
  what: string,
  prepare: (studio: Studio) => string | Promise<string>,
  open?: (page: Page, query: string) => Promise<void>,
];

/**
 * Opens the library with cached scripts, and waits until the visible pictures are loaded, or until
 * it says that nothing matches.
 */
async function openByAddress(page: Page, query: string): Promise<void> {
  await page.goto(`/library${query}`);
  await page.waitForFunction(
    () => {
      const pictures = [...document.querySelectorAll<HTMLImageElement>("[role=gridcell] img")];
      const isEmpty = /No matching items|No uploads yet|trash is empty/.test(
        document.body.textContent ?? "",
      );
      return isEmpty || (pictures.length > 0 && pictures.every(({ complete }) => complete));
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

const filters: readonly string[] = [
  "view=kept",
  "view=uploads",
  "view=trash",
  "kind=image",
  "kind=video",
  "source=made",
  "task=image",
  "state=succeeded",
  "pick=none",
  "rating=3..",
  "costMicros=1500..",
  "bytes=1000500..",
  "pixels=900000..",
  "durationMs=1000..",
  "aspect=landscape",
  "used=true",
  "used=false",
  `tags=${tagId}`,
  `collection=${collectionId}`,
  "q=heron",
  "q=number500",
  "order=asc",
  "group=batch",
  "group=model",
  ...assetSorts.filter((sort) => sort !== "createdAt").map((sort) => `sort=${sort}`),
];

/** More of them than the server keeps views, so that each is computed again in each turn. */
const openings: readonly Opening[] = [
  ["to first thumbnails", () => ""],
  ["after a change", changeOne],
  ["to the oldest and back by the dates", () => "", jumpAcross],
  ["a date in the middle", middleDate],
  ["of a model", ({ model }) => `?model=${model.connectionId}/model-3`],
  ["of a connection", ({ model }) => `?connection=${model.connectionId}`],
  ["of a person", async (studio) => `?createdBy=${(await newestOf(studio)).createdBy}`],
  ["of a project", ({ projectId }) => `?project=${projectId}`],
  ["similar to a picture", async (studio) => `?similar=${(await newestOf(studio)).id}`],
  ...filters.map((filter): Opening => [filter.replace(/=[0-9a-f-]{36}/, ""), () => `?${filter}`]),
];

const startStudioWith = (bench: Bench, count: number): Promise<Studio> =>
  openStudio(bench, {
    provider: { tokens: 1, firstTokenMs: 0, betweenMs: 0 },
    seed: async (store, { projectId, userId, connectionId, dataFolder }) => {
      await seedHistory(store, {
        count,
        projectIds: [projectId],
        userId,
        connectionId,
        now: Date.now(),
        pictures: await storePictures(dataFolder),
      });
      await store.write((tx) => sortIntoGroups(tx, projectId, userId));
    },
  });

/** The longest task of a page that opens the library, with the scripts in the browser's cache. */
async function measureTasks(bench: Bench, browser: Browser): Promise<Figure> {
  const studio = await startStudioWith(bench, openSome);
  try {
    const page = await openPage(browser, studio, "/library");
    await untilQuiet(page);
    const longest: number[] = [];
    for (let time = 0; time < openTimes.usual; time++) {
      await beginTasks(browser, page);
      await openByAddress(page, "");
      await untilQuiet(page);
      longest.push(await endTasks(browser));
    }
    await page.context().close();
    return atMost(
      `opening a library of ${openSome}: longest task by CPU`,
      percentile(longest, 0.5),
      50,
      "ms",
    );
  } finally {
    await studio.stop();
  }
}

async function measure(bench: Bench): Promise<Figure[]> {
  const browser = await openBrowser(bench);
  const both: Opened[] = [];
  try {
    const tasks = await measureTasks(bench, browser);
    for (const count of [openFew, assetCount]) {
      const studio = await startStudioWith(bench, count);
      both.push({ studio, page: await openPage(browser, studio, "/library") });
    }
    const cdp = await browser.newBrowserCDPSession();
    const times = bench.long ? openTimes.long : openTimes.usual;
    const costs = await measureByTurn(both, cdp, times);
    const ratios = openings.flatMap(([name], index) => {
      const what = `the library of 100,000 beside 1,000, ${name}`;
      const cost = costs[index]!;
      if (cost instanceof Error) return [notMeasured(what, `≤ ${maxOpenRatio}`, cost.message)];
      const [few, many] = cost.map((all) =>
        percentile(
          all.map(({ ms }) => ms),
          0.5,
        ),
      );
      const server = cost.map((all) =>
        percentile(
          all.map(({ serverMs }) => serverMs),
          0.5,
        ),
      );
      return [
        ratio(what, few ?? Number.NaN, many ?? Number.NaN, maxOpenRatio),
        beside("  the server's part", server.map((ms) => `${round(ms)} ms`).join(", ")),
      ];
    });
    return [tasks, ...ratios];
  } finally {
    await browser.close();
    await Promise.all(both.map(({ studio }) => studio.stop()));
  }
}

type Spent = { ms: number; serverMs: number };

/** The CPU that the page and all threads of the server take, for each opening and library. */
async function measureByTurn(
  both: readonly Opened[],
  cdp: CDPSession,
  times: number,
): Promise<(Spent[][] | Error)[]> {
  const costs: (Spent[][] | Error)[] = openings.map(() => both.map(() => []));
  for (const { page } of both) await openByAddress(page, "");
  for (let time = 0; time < times; time++)
    for (const [index, [, prepare, open = openByAddress]] of openings.entries())
      for (const [place, { studio, page }] of both.entries()) {
        const cost = costs[index]!;
        if (cost instanceof Error) continue;
        try {
          const query = await prepare(studio);
          const [serverBefore, pageBefore] = [studio.server.cpuMs(), await rendererTime(cdp)];
          await open(page, query);
          const pageMs = (await rendererTime(cdp)) - pageBefore;
          const serverMs = studio.server.cpuMs() - serverBefore;
          cost[place]!.push({ ms: pageMs + serverMs, serverMs });
        } catch (error) {
          costs[index] = error instanceof Error ? error : new Error(String(error));
        }
      }
  return costs;
}

export const opening: Row<Bench> = {
  name: "opening",
  what: "CPU of opening the library of 100,000 beside 1,000, to the first thumbnails",
  measure,
};
