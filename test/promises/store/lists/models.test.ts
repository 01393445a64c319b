import { expect, it } from "vitest";
import { migrate, migrateTo } from "#store/database/migrate.ts";
import type { MigrationDatabase } from "#store/database/migrations/ddl.ts";
import type { Store } from "#store/database/store.ts";
import { insertConnection, removeConnection } from "#store/models/connections.ts";
import { listModels, type ModelFilter } from "#store/models/list-models.ts";
import {
  getModel,
  markGone,
  putModelPrice,
  starModel,
  upsertModels,
} from "#store/models/models.ts";
import {
  forEachDatabase,
  forEachEmptyDatabase,
  type TestDatabase,
} from "../../../support/databases/databases.ts";
import { at, buildConnection, buildModel } from "../../../support/databases/store-rows.ts";
import { openTestStore } from "../../../support/databases/test-store.ts";

const price = (micros: string) => [{ unit: "image", micros, source: "test", at }];
const models = [
  buildModel({
    connectionId: "a",
    modelId: "talk-1",
    name: "Talker",
    description: "Speaks of the sea",
    tasks: ["chat"],
    inputModalities: ["text", "image"],
    outputModalities: ["text"],
    capabilities: { tools: true, imageInput: true },
    limits: { contextTokens: 8_000 },
    prices: price("0.5"),
  }),
  buildModel({
    connectionId: "a",
    modelId: "talk-2",
    name: "Talker",
    tasks: ["chat"],
    inputModalities: ["text"],
    outputModalities: ["text"],
    capabilities: { tools: true, reasoning: true, seed: false },
    limits: { contextTokens: 128_000 },
    prices: price("0"),
    fetchedAt: at + 5,
    releasedAt: at + 5,
  }),
  buildModel({
    connectionId: "b",
    modelId: "flux/dev",
    name: "Flux",
    description: "Pictures",
    outputModalities: ["image"],
    capabilities: { seed: true },
    fetchedAt: at + 5,
    releasedAt: at,
  }),
  buildModel({ connectionId: "b", modelId: "old", name: "Old", status: "deprecated" }),
  buildModel({
    connectionId: "c",
    modelId: "hidden",
    name: "Somebody else's",
    tasks: ["chat"],
    capabilities: { tools: true },
  }),
];

async function openCatalogue(database: TestDatabase): Promise<Store> {
  const store = openTestStore(database);
  await migrate(store, 0);
  await store.write(async (tx) => {
    for (const [id, name] of [
      ["a", "Harbour house"],
      ["b", "Studio"],
      ["c", "Harbour private"],
    ] as const)
      await insertConnection(tx, buildConnection({ id, name, slug: id }));
    await upsertModels(tx, models);
  });
  return store;
}

const mine = { connectionIds: ["a", "b"], userId: "me", limit: 50 };
const found = async (store: Store, filter: Partial<ModelFilter> = {}): Promise<string[]> =>
  (await listModels(store, { ...mine, ...filter })).models.map(({ modelId }) => modelId);
const all = ["flux/dev", "old", "talk-1", "talk-2"];

const filters: [what: string, filter: Partial<ModelFilter>, ids: string[]][] = [
  ["nothing", {}, all],
  ["a task", { task: "chat" }, ["talk-1", "talk-2"]],
  ["what goes in", { takes: "image" }, ["talk-1"]],
  ["what comes out", { gives: "image" }, ["flux/dev"]],
  ["a capability", { can: ["seed"] }, ["flux/dev"]],
  ["several capabilities", { can: ["tools", "reasoning"] }, ["talk-2"]],
  ["a context", { context: 100_000 }, ["talk-2"]],
  ["free of charge", { price: "free" }, ["talk-2"]],
  ["a known price", { price: "known" }, ["talk-1"]],
  ["an unknown price", { price: "unknown" }, ["flux/dev", "old"]],
  ["newness", { cameSince: at + 1 }, ["talk-2"]],
  ["a word of the name", { search: "FLÜX" }, ["flux/dev"]],
  ["a word of the id", { search: "dev" }, ["flux/dev"]],
  ["the beginning of a word of the description", { search: "se" }, ["talk-1"]],
  ["the name of the connection", { search: "harbour" }, ["talk-1", "talk-2"]],
  ["the names of model and connection", { search: "house talker sea" }, ["talk-1"]],
  ["words that no model has together", { search: "flux sea" }, []],
];

forEachDatabase((_, create) => {
  it("models are found by their facts and capabilities, and never on an unnamed connection", async () => {
    const store = await openCatalogue(await create());
    for (const [what, filter, ids] of filters)
      expect(await found(store, filter), what).toEqual(ids);
  });

  it("an older list that is saved late isn't removed by a newer one", async () => {
    const store = await openCatalogue(await create());
    const read = (fetchedAt: number) =>
      models
        .filter(({ connectionId }) => connectionId === "a")
        .map((one) => ({ ...one, fetchedAt }));
    await store.write(async (tx) => {
      await upsertModels(tx, read(at + 20));
      await upsertModels(tx, read(at + 10));
      await markGone(tx, "a", at + 20);
    });
    expect(await found(store, { task: "chat" })).toEqual(["talk-1", "talk-2"]);
  });

  it.each([
    ["name", all],
    ["newest", ["talk-2", "flux/dev", "old", "talk-1"]],
    ["context", ["talk-2", "talk-1", "flux/dev", "old"]],
  ] as const)("in the order of %s, page by page, each model comes once", async (order, ids) => {
    const store = await openCatalogue(await create());
    const seen: string[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = await listModels(store, { ...mine, order, limit: 1, ...(cursor && { cursor }) });
      seen.push(...page.models.map(({ modelId }) => modelId));
      if (page.next === null) break;
      cursor = page.next;
    }
    expect(seen).toEqual(ids);
  });

  it("a star is personal, and survives a list refresh", async () => {
    const store = await openCatalogue(await create());
    const star = { userId: "me", connectionId: "b", modelId: "flux/dev", at };
    expect(await store.write((tx) => starModel(tx, star))).toBe(true);
    expect(await store.write((tx) => starModel(tx, { ...star, at: at + 1 }))).toBe(true);
    expect(await store.write((tx) => starModel(tx, { ...star, modelId: "none" }))).toBe(false);
    await store.write((tx) => upsertModels(tx, models));
    expect(await found(store, { starred: true })).toEqual(["flux/dev"]);
    expect(await found(store, { starred: true, userId: "other" })).toEqual([]);
    expect((await getModel(store.read, "b", "flux/dev", "me"))?.isStarred).toBe(true);
    expect((await getModel(store.read, "b", "flux/dev", "other"))?.isStarred).toBe(false);
    await store.write((tx) => starModel(tx, { ...star, at: null }));
    expect(await found(store, { starred: true })).toEqual([]);
  });

  it("a model keeps its first seen day, and is searched by its latest list entry", async () => {
    const store = await openCatalogue(await create());
    const renamed = buildModel({
      connectionId: "b",
      modelId: "flux/dev",
      name: "Aurora",
      fetchedAt: at + 99,
    });
    await store.write((tx) => upsertModels(tx, [renamed]));
    expect((await getModel(store.read, "b", "flux/dev"))?.firstSeenAt).toBe(at + 5);
    expect(await found(store, { search: "aurora" })).toEqual(["flux/dev"]);
    expect(await found(store, { search: "pictures" })).toEqual([]);
  });

  it("a person's price applies if the provider names none", async () => {
    const store = await openCatalogue(await create());
    const own = { connectionId: "b", setBy: "me", at };
    await store.write((tx) =>
      putModelPrice(tx, { ...own, modelId: "flux/dev", prices: price("0") }),
    );
    await store.write((tx) => putModelPrice(tx, { ...own, modelId: "old", ceilingMicros: 5 }));
    expect(await found(store, { price: "free" })).toEqual(["flux/dev", "talk-2"]);
    expect(await found(store, { price: "unknown" })).toEqual(["old"]);
    await store.write((tx) => putModelPrice(tx, { ...own, modelId: "flux/dev", prices: null }));
    expect(await found(store, { price: "unknown" })).toEqual(["flux/dev", "old"]);
  });

  it("a removed model, or one of a removed connection, is found by no search", async () => {
    const store = await openCatalogue(await create());
    await store.write((tx) => markGone(tx, "a", at + 1));
    expect(await found(store, { search: "talker" })).toEqual(["talk-2"]);
    await store.write((tx) =>
      starModel(tx, { userId: "me", connectionId: "b", modelId: "flux/dev", at }),
    );
    await store.write((tx) => removeConnection(tx, "b"));
    expect(await found(store, { search: "flux" })).toEqual([]);
    expect(await store.read.selectFrom("model_star").selectAll().execute()).toEqual([]);
  });
});

const oldConnection = {
  id: "a",
  slug: "a",
  kind: "k",
  name: "Harbour house",
  scope: "instance",
  scope_id: null,
  base_urls: "{}",
  options: "{}",
  secret: null,
  status: "ok",
  concurrency: 1,
  failures: 0,
  created_at: at,
};
const oldModel = {
  connection_id: "a",
  model_id: "talk",
  name: "Talker",
  description: "",
  tasks: '["chat"]',
  input_modalities: '["text"]',
  output_modalities: "[]",
  input_schema: null,
  schema_hash: null,
  capabilities: '{"tools":true}',
  limits: '{"contextTokens":9000}',
  price: JSON.stringify(price("0")),
  status: "active",
  search: "talker talk",
  fetched_at: at,
};
/** An old connection with a model, and further ones, each with its differences. */
async function insertOld(db: MigrationDatabase, more: object[]): Promise<void> {
  await db.insertInto("connection").values(oldConnection).execute();
  for (const one of [{}, ...more])
    await db
      .insertInto("model")
      .values({ ...oldModel, ...one })
      .execute();
}

forEachEmptyDatabase((_, create) => {
  it("a previous release's models are found and filtered at once, before their list is read again", async () => {
    const store = openTestStore(await create());
    await migrateTo(store, "0007-tools");
    await store.write(async (tx) => {
      await insertOld(tx as MigrationDatabase, []);
    });
    await migrate(store, 1);
    const filter: Partial<ModelFilter> = {
      task: "chat",
      takes: "text",
      can: ["tools"],
      context: 9_000,
      price: "free",
      search: "talk",
    };
    expect(await found(store, { ...filter, connectionIds: ["a"] })).toEqual(["talk"]);
    await store.write((tx) =>
      upsertModels(tx, [buildModel({ connectionId: "a", modelId: "talk", name: "Singer" })]),
    );
    expect(await found(store, { connectionIds: ["a"], search: "singer" })).toEqual(["talk"]);
    expect(await found(store, { connectionIds: ["a"], search: "talker" })).toEqual([]);
  });

  it("a previous release's models that appeared after the first list keep the day they were seen", async () => {
    const store = openTestStore(await create());
    await migrateTo(store, "0014-model-facts");
    await store.write((tx) =>
      insertOld(tx as MigrationDatabase, [{ model_id: "late", first_seen_at: at + 7 }]),
    );
    await migrate(store, 1);
    expect(await found(store, { connectionIds: ["a"], cameSince: at + 7 })).toEqual(["late"]);
    expect(await found(store, { connectionIds: ["a"], cameSince: 0 })).toEqual(["late"]);
    await store.write((tx) =>
      upsertModels(tx, [buildModel({ connectionId: "a", modelId: "later", fetchedAt: at + 9 })]),
    );
    expect(await found(store, { connectionIds: ["a"], cameSince: at + 8 })).toEqual(["later"]);
  });
});
