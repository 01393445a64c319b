import type { Store } from "#store/database/store.ts";
import { upsertModels } from "#store/models/models.ts";
import type { Bench } from "../bench.ts";
import { type Figure, p50p99, percentile, type Row } from "../figures.ts";
import { openStudio, type Studio } from "../studio.ts";

const modelCount = 10_000;
const boundMs = 50;
const limit = "100";

async function measure(bench: Bench): Promise<Figure[]> {
  const studio = await openStudio(bench, {
    provider: { tokens: 1, firstTokenMs: 0, betweenMs: 0 },
    seed: (store, { connectionId }) => seedModels(store, connectionId),
  });
  try {
    return await measureCatalogue(studio, bench.long ? 300 : 60);
  } finally {
    await studio.stop();
  }
}

const makers = [
  "aurora",
  "basalt",
  "cobalt",
  "delta",
  "ember",
  "fjord",
  "granite",
  "harbour",
  "indigo",
  "juniper",
];
/** A provider's schema is about 8 KB; a list must not read it. */
const inputSchema = {
  type: "object",
  properties: { prompt: { type: "string", description: "what it shall be ".repeat(480) } },
};

async function seedModels(store: Store, connectionId: string): Promise<void> {
  const models = Array.from({ length: modelCount }, (_, i) => ({
    connectionId,
    modelId: `${makers[i % 10]}/model-${i}`,
    name: `${makers[i % 10]} ${i}`,
    description:
      `Number number${i}, for ${i % 3 === 0 ? "talking" : "pictures"}, with a description as providers write them. `.repeat(
        3,
      ),
    tasks: [i % 3 === 0 ? "chat" : "image"],
    inputModalities: i % 2 === 0 ? ["text", "image"] : ["text"],
    outputModalities: [i % 3 === 0 ? "text" : "image"],
    inputSchema,
    schemaHash: "hash",
    capabilities: { tools: i % 4 === 0, seed: i % 5 === 0 },
    limits: i % 3 === 0 ? { contextTokens: 8_000 * (1 + (i % 40)) } : {},
    prices: i % 7 === 0 ? [] : [{ unit: "image", micros: String(i % 11), source: "bench", at: 0 }],
    status: "active" as const,
    // Later than any refresh by the program itself, so that none of them is removed.
    fetchedAt: Date.now() + 86_400_000 - i,
  }));
  for (let from = 0; from < modelCount; from += 500)
    await store.write((tx) => upsertModels(tx, models.slice(from, from + 500)));
}

async function measureCatalogue({ projectId, session }: Studio, times: number): Promise<Figure[]> {
  const list = (query: Record<string, string>) => async () => {
    const { models } = await session.call("listModels", { query: { projectId, limit, ...query } });
    if (models.length === 0) throw new Error(`no model fits ${JSON.stringify(query)}`);
  };
  return [
    await time("a page of the catalogue", times, list({})),
    await time("a page from the newest", times, list({ order: "newest" })),
    await time("a page from the longest context", times, list({ order: "context" })),
    await time("a search, a word that one in ten has", times, list({ search: "harbour" })),
    await time("a search, a word that all have", times, list({ search: "number" })),
    await time("a search, a word that one has", times, list({ search: "number9997" })),
    await time(
      "filters: chat, tools, 128,000 tokens",
      times,
      list({ task: "chat", can: "tools", context: "128000" }),
    ),
    await time(
      "filters that few pass",
      times,
      list({ gives: "image", can: "tools,seed", price: "free", takes: "image" }),
    ),
  ];
}

async function time(what: string, times: number, ask: () => Promise<unknown>): Promise<Figure> {
  await ask();
  const took: number[] = [];
  for (let i = 0; i < times; i++) {
    const since = performance.now();
    await ask();
    took.push(performance.now() - since);
  }
  const value = { p50: percentile(took, 0.5), p99: percentile(took, 0.99) };
  return p50p99(
    `${what}, at 10,000 models`,
    value,
    { p50: boundMs, p99: boundMs },
    "ms",
    `${times} times`,
  );
}

export const models: Row<Bench> = {
  name: "models",
  what: "pages, searches and filters of a catalog of 10,000 models, on the server",
  measure,
};
