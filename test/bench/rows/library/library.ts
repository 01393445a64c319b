import type { Bench } from "../../bench.ts";
import { type Figure, p50p99, percentile, type Row } from "../../figures.ts";
import { seedAssets } from "../../seed-assets.ts";
import { openStudio, type Studio } from "../../studio.ts";

export const assetCount = 100_000;
const boundMs = 50;
const limit = "50";

async function measure(bench: Bench): Promise<Figure[]> {
  const studio = await openStudio(bench, {
    provider: { tokens: 1, firstTokenMs: 0, betweenMs: 0 },
    seed: (store, { projectId, userId }) =>
      seedAssets(store, { projectId, userId, count: assetCount }),
  });
  try {
    return await measureQueries(studio, bench.long ? 300 : 60);
  } finally {
    await studio.stop();
  }
}

async function measureQueries(studio: Studio, times: number): Promise<Figure[]> {
  const { projectId, session } = studio;
  const layout = await session.call("layoutAssets", { query: { projectId } });
  if (layout.count !== assetCount) throw new Error(`the library holds ${layout.count} assets`);
  const list = (query: Record<string, string>) => () =>
    session.call("listAssets", { query: { projectId, limit, ...query } });
  const cursorAt = (i: number): string =>
    layout.cursors[Math.floor((i * layout.cursors.length) / times)]!;
  return [
    await time("a page of the library, the first", times, list({})),
    await time("a page of the library, anywhere", times, (i) => list({ cursor: cursorAt(i) })()),
    await time("a page of those kept", times, list({ pick: "kept" })),
    await time("text search, a word that one in ten has", times, list({ q: "heron" })),
    await time("text search, two words", times, list({ q: "heron linocut" })),
    await time("text search, the beginning of a word, as it is typed", times, list({ q: "her" })),
    await time("text search, a word that one has", times, (i) => list({ q: `number${i * 997}` })()),
    await time("counts next to the filters", Math.ceil(times / 3), () =>
      session.call("countAssets", { query: { projectId } }),
    ),
    await time("the layout of the whole library", Math.ceil(times / 3), () =>
      session.call("layoutAssets", { query: { projectId } }),
    ),
  ];
}

async function time(
  what: string,
  times: number,
  ask: (i: number) => Promise<unknown>,
): Promise<Figure> {
  await ask(0);
  const took: number[] = [];
  for (let i = 0; i < times; i++) {
    const since = performance.now();
    await ask(i);
    took.push(performance.now() - since);
  }
  const value = { p50: percentile(took, 0.5), p99: percentile(took, 0.99) };
  return p50p99(
    `${what}, at 100,000 assets`,
    value,
    { p50: boundMs, p99: boundMs },
    "ms",
    `${times} times`,
  );
}

export const library: Row<Bench> = {
  name: "library",
  what: "a page of the library and text search at 100,000 assets, on the server",
  measure,
};
