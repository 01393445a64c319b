import { setTimeout as sleep } from "node:timers/promises";
import { v7 as uuid } from "uuid";
import type { RouteName } from "#contract/routes/index.ts";
import type { Bench } from "../bench.ts";
import { atMost, type Figure, type Row, ratio } from "../figures.ts";
import { seedHistory } from "../seed-history.ts";
import { measureByTurns, openStudio, type Studio } from "../studio.ts";

const [few, many] = [1_000, 100_000];
const neighbors = 200;
const idleMs = 20_000;
/** A server finishes its start and its first checks meanwhile. */
const settleMs = 5_000;
const maxListRatio = 3;
const maxRatio = 1.2;

type Query = Record<string, string>;
type Asked = [
  what: string,
  route: RouteName,
  /** By turn, for requests that would otherwise be answered from the cache the second time. */
  query: Query | ((turn: number) => Query),
  isAfterChange?: true,
];
/**
 * People's requests for common history and for missing history.
 * @param assetIds the first page's assets
 */
const requestsOf = ({ model: { connectionId } }: Studio, assetIds: readonly string[]): Asked[] => [
  ["the library", "listAssets", {}],
  ["of a kind that has none", "listAssets", { kind: "video" }],
  ["of a model", "listAssets", { connectionId, modelId: "model-3" }],
  ["of a model that made nothing", "listAssets", { connectionId, modelId: "model-none" }],
  ["kept", "listAssets", { pick: "kept" }],
  ["kept, of a kind that has none", "listAssets", { pick: "kept", kind: "video" }],
  ["searched by a first letter", "listAssets", { q: "p" }],
  ["searched by a word that one in ten has", "listAssets", { q: "heron" }],
  ["searched by a word that one has", "listAssets", { q: "number500" }],
  ["of a cost that nothing had", "listAssets", { costMicros: "999999999.." }],
  ["sorted by cost", "listAssets", { sort: "costMicros" }],
  ["sorted by cost, after a change", "listAssets", { sort: "costMicros" }, true],
  [
    "similar to a picture",
    "listAssets",
    (turn) => ({ similarTo: assetIds[turn % assetIds.length] ?? "" }),
  ],
  ["similar to a picture, after a change", "listAssets", { similarTo: assetIds[0] ?? "" }, true],
  ["its counts", "countAssets", {}],
  ["its counts after a change", "countAssets", {}, true],
  ["its layout", "layoutAssets", {}],
  ["its layout after a change", "layoutAssets", {}, true],
  ["runs", "listRuns", {}],
  ["runs of a task that has none", "listRuns", { task: "speech" }],
  ["runs that failed", "listRuns", { state: "failed" }],
  ["runs searched by a word that one in ten has", "listRuns", { q: "heron" }],
  ["runs searched by a word that none has", "listRuns", { q: "zzz", task: "image" }],
  ["the palette", "search", { q: "heron" }],
  ["batches", "listBatches", {}],
  ["batches of a task that has none", "listBatches", { task: "video" }],
  ["conversations", "listConversations", {}],
  ["conversations that are archived", "listConversations", { archived: "true" }],
  ["conversations searched by a word", "searchConversations", { q: "heron" }],
];

function openAt(bench: Bench, count: number, projects: number): Promise<Studio> {
  return openStudio(bench, {
    provider: { tokens: 1, firstTokenMs: 0, betweenMs: 0 },
    seed: (store, { projectId, userId, connectionId }) =>
      seedHistory(store, {
        count,
        projectIds: [projectId, ...Array.from({ length: projects - 1 }, () => uuid())],
        userId,
        connectionId,
        now: Date.now(),
      }),
  });
}

/** The main thread's CPU time in an idle second, for each studio. */
async function measureIdle(studios: readonly Studio[]): Promise<number[]> {
  await sleep(settleMs);
  const ran = () => studios.map(({ server }) => server.coreTime().ranMs);
  const before = ran();
  await sleep(idleMs);
  return ran().map((ms, i) => ((ms - before[i]!) * 1_000) / idleMs);
}

function measureRequest(
  studios: readonly Studio[],
  requestOf: (studio: Studio) => Asked,
  times: number,
): Promise<number[]> {
  const turns = new Map<Studio, number>();
  return measureByTurns(studios, times, {
    async before(studio, turn) {
      turns.set(studio, (turns.get(studio) ?? 0) + 1);
      const [, , , isAfterChange] = requestOf(studio);
      if (isAfterChange) await changeAsset(studio, turn);
    },
    ask(studio) {
      const [, route, query] = requestOf(studio);
      const asked = typeof query === "function" ? query(turns.get(studio) ?? 0) : query;
      return studio.session.call(route, { query: { projectId: studio.projectId, ...asked } });
    },
  });
}

/** The assets to request individually. */
async function firstAssets({ session, projectId }: Studio): Promise<string[]> {
  const { assets } = await session.call("listAssets", { query: { projectId, limit: "100" } });
  return assets.map(({ id }) => id);
}

/** Not measured itself: the next request's cost is. */
async function changeAsset({ session, projectId }: Studio, turn: number): Promise<void> {
  const { assets } = await session.call("listAssets", { query: { projectId, limit: "1" } });
  const body = { rating: Math.abs(turn) % 5 };
  await session.call("updateAsset", { params: { assetId: assets[0]!.id }, body });
}

async function measure(bench: Bench): Promise<Figure[]> {
  const sizes = [
    [few, 1],
    [many, 1],
    [many / neighbors, 1],
    [many, neighbors],
  ] as const;
  const studios: Studio[] = [];
  try {
    for (const [count, projects] of sizes) studios.push(await openAt(bench, count, projects));
    const [quiet, busy] = await measureIdle(studios);
    const requests = new Map<Studio, Asked[]>();
    for (const studio of studios)
      requests.set(studio, requestsOf(studio, await firstAssets(studio)));
    const lists: Figure[] = [];
    const beside: Figure[] = [];
    for (const [index, [what]] of requests.get(studios[0]!)!.entries()) {
      const costs: number[] = [];
      for (const pair of [studios.slice(0, 2), studios.slice(2)])
        costs.push(
          ...(await measureRequest(
            pair,
            (studio) => requests.get(studio)![index]!,
            bench.long ? 60 : 20,
          )),
        );
      const [small, large, alone, crowded] = costs as [number, number, number, number];
      lists.push(ratio(`100,000 compared with 1,000: ${what}`, small, large, maxListRatio));
      beside.push(ratio(`500 next to 199 such projects: ${what}`, alone, crowded, maxRatio));
    }
    return [
      ratio("an idle second at 100,000 runs compared with 1,000", quiet!, busy!, maxRatio),
      ...lists,
      ...beside,
    ];
  } finally {
    await Promise.all(studios.map((studio) => studio.stop()));
  }
}

export const growth: Row<Bench> = {
  name: "growth",
  what: "CPU time with 100,000 runs and files compared with 1,000, and of a small project among many",
  measure,
};

const maxPaletteMs = 50;
/**
 * Palette queries: a first letter, a common word, one in a single message, and one without results.
 */
const queries = ["p", "heron", "number500", "heron quay", "zzz"];

async function measurePalette(bench: Bench): Promise<Figure[]> {
  const studio = await openAt(bench, many, 1);
  try {
    const figures: Figure[] = [];
    for (const q of queries) {
      const [ms = Number.NaN] = await measureByTurns([studio], bench.long ? 60 : 20, {
        ask: ({ session, projectId }) => session.call("search", { query: { projectId, q } }),
      });
      figures.push(
        atMost(
          `the palette over 100,000 messages: “${q}”, CPU on all threads`,
          ms,
          maxPaletteMs,
          "ms",
        ),
      );
    }
    return figures;
  } finally {
    await studio.stop();
  }
}

export const palette: Row<Bench> = {
  name: "palette",
  what: "the command palette's search in a project of 100,000 messages, files and runs",
  measure: measurePalette,
};
