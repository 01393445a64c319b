import { expect, it } from "vitest";
import { insertAsset, updateAssets } from "#store/content/assets.ts";
import { listUsedModels } from "#store/content/used-models.ts";
import { insertConnection } from "#store/models/connections.ts";
import { countModelTasks, listModels } from "#store/models/list-models.ts";
import { upsertModels } from "#store/models/models.ts";
import { putModelFacts } from "#store/models/own-facts.ts";
import { insertRun } from "#store/runs/runs.ts";
import { forEachDatabase, type TestDatabase } from "../../../support/databases/databases.ts";
import { plansOf } from "../../../support/databases/query-plans.ts";
import {
  buildAsset,
  buildConnection,
  buildModel,
  buildRun,
} from "../../../support/databases/store-rows.ts";
import { createInstance } from "../../../support/server/instance.ts";

async function openStudio(database: TestDatabase) {
  const instance = await createInstance(database, { endsWithTest: true, start: false });
  const { store, commit } = instance;
  const { projectId, user } = await instance.createPerson("ada@example.org");
  const other = (await instance.createPerson("bo@example.org")).user;
  const connectionId = "c1";
  await commit(async ({ tx }) => {
    await insertConnection(tx, buildConnection({ id: connectionId }));
    await insertConnection(tx, buildConnection({ id: "c2" }));
    await upsertModels(
      tx,
      ["flux", "kling", "guide", "idle"].map((modelId) =>
        buildModel({ connectionId, modelId, tasks: [modelId === "guide" ? "chat" : "image"] }),
      ),
    );
  });
  /** A run that took this many ms, with its pictures; null for a failed one. */
  const make = (
    modelId: string,
    tookMs: number | null,
    facts: { by?: string; visibility?: "author"; kind?: "image" | "audio" | null } = {},
  ) =>
    commit(async (unit) => {
      const { by = user.id, visibility = "project", kind = "image" } = facts;
      const run = buildRun({ projectId, userId: by, connectionId, modelId, visibility });
      await insertRun(unit, run);
      await unit.tx
        .updateTable("run")
        .set(
          tookMs === null
            ? { state: "failed", started_at: 0, finished_at: 9 }
            : { state: "succeeded", started_at: 1_000, finished_at: 1_000 + tookMs },
        )
        .where("id", "=", run.id)
        .execute();
      if (tookMs === null || kind === null) return run.id;
      const asset = buildAsset({
        ...{ projectId, createdBy: by, visibility, runId: run.id, outputIndex: 0, kind },
        ...{ connectionId, modelId },
      });
      await insertAsset(unit, asset);
      return asset.id;
    });
  const list = (userId = user.id, filter: object = {}) =>
    listUsedModels(store, {
      ...{ projectId, userId, connectionIds: [connectionId, "c2"], limit: 10 },
      ...filter,
    });
  return { store, commit, make, list, user, other, connectionId };
}

forEachDatabase((_, create) => {
  it("models come by their newest run, each with its three newest pictures and its median time", async () => {
    const { make, list } = await openStudio(await create());
    await make("flux", 9_000);
    const shown = [await make("flux", 2_000), await make("flux", 4_000), await make("flux", 3_000)];
    await make("flux", null);
    await make("kling", 60_000, { kind: "audio" });
    await make("guide", 700, { kind: null });

    const { models, next } = await list();
    expect(
      models.map(({ model, assets, medianMs, runs }) => [
        model.modelId,
        assets.map(({ id }) => id),
        medianMs,
        runs,
      ]),
    ).toEqual([
      ["guide", [], 700, 1],
      ["kling", [], 60_000, 1],
      ["flux", shown.reverse(), 3_000, 4],
    ]);
    expect(next).toBeNull();
  });

  it("kept results come before newer ones, and rejected ones after all others", async () => {
    const { commit, make, list } = await openStudio(await create());
    const made: string[] = [];
    for (let i = 0; i < 5; i++) made.push(await make("flux", 2_000));
    const [kept, oldest, older, newer, newest] = made as [string, string, string, string, string];
    await commit(async (unit) => {
      await updateAssets(unit, [kept], { pick: "kept" });
      await updateAssets(unit, [newer, newest], { pick: "rejected" });
    });
    const [used] = (await list()).models;
    expect(used?.assets.map(({ id }) => id)).toEqual([kept, older, oldest]);
  });

  it("a model that only others used privately is not included, and their private results with a shared one are hidden", async () => {
    const { make, list, user, other } = await openStudio(await create());
    const hers = await make("flux", 1_000);
    await make("flux", 5_000, { by: other.id, visibility: "author" });
    await make("kling", 5_000, { by: other.id, visibility: "author" });

    const seenBy = async (userId: string) =>
      (await list(userId)).models.map(({ model, assets, runs }) => [
        model.modelId,
        assets.length,
        runs,
      ]);
    expect(await seenBy(user.id)).toEqual([["flux", 1, 1]]);
    expect((await list()).models[0]?.assets.map(({ id }) => id)).toEqual([hers]);
    expect(await seenBy(other.id)).toEqual([
      ["kling", 1, 1],
      ["flux", 2, 2],
    ]);
    // Neither the order nor a cursor reveals the private run.
    await make("guide", 1_000, { kind: null });
    await make("flux", 1_000, { by: other.id, visibility: "author" });
    expect((await seenBy(user.id)).map(([model]) => model)).toEqual(["guide", "flux"]);
  });

  it("each model comes once across pages, and a task or connection filter excludes the others", async () => {
    const { make, list, user } = await openStudio(await create());
    for (const modelId of ["flux", "kling", "guide"]) await make(modelId, 1_000);
    const ids: string[] = [];
    let cursor: string | undefined;
    do {
      const { models, next } = await list(user.id, { limit: 1, cursor });
      ids.push(...models.map(({ model }) => model.modelId));
      cursor = next ?? undefined;
    } while (cursor);
    expect(ids).toEqual(["guide", "kling", "flux"]);
    const of = async (filter: object) =>
      (await list(user.id, filter)).models.map(({ model }) => model.modelId);
    expect(await of({ task: "image" })).toEqual(["kling", "flux"]);
    expect(await of({ connectionIds: ["c2"] })).toEqual([]);
    expect(
      await of({ reach: { open: [], ruled: false, subjects: [] } }),
      "of connections that are closed to this person",
    ).toEqual([]);
  });

  it("used models are ordered by time, price, release or rating, unknown last, across pages", async () => {
    const { commit, make, list, user, connectionId } = await openStudio(await create());
    const costing = (micros: string) => [{ unit: "images", micros, source: "provider", at: 0 }];
    await commit(({ tx }) =>
      upsertModels(tx, [
        buildModel({ connectionId, modelId: "flux", prices: costing("20000") }),
        buildModel({ connectionId, modelId: "kling", prices: costing("9000") }),
        buildModel({ connectionId, modelId: "guide", releasedAt: 1_700_000_000_000 }),
      ]),
    );
    await make("flux", 2_000);
    await make("kling", 9_000);
    await make("guide", 4_000);
    await make("idle", null);
    const inOrder = async (order: string, more: object = {}) => {
      const ids: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await list(user.id, { order, limit: 1, cursor, ...more });
        ids.push(...page.models.map(({ model }) => model.modelId));
        cursor = page.next ?? undefined;
      } while (cursor);
      return ids;
    };
    expect(await inOrder("recent")).toEqual(["guide", "kling", "flux"]);
    expect(await inOrder("speed")).toEqual(["flux", "guide", "kling"]);
    // A newest run doesn't change the median of three.
    await make("kling", 1_000);
    await make("kling", 9_000);
    expect(await inOrder("speed")).toEqual(["flux", "guide", "kling"]);
    expect(await inOrder("price")).toEqual(["kling", "flux", "guide"]);
    expect(await inOrder("newest")).toEqual(["guide", "kling", "flux"]);
    const scores = [
      { connectionId, modelId: "kling", score: 0.25 },
      { connectionId, modelId: "flux", score: 0.75 },
    ];
    expect(await inOrder("rating", { scores })).toEqual(["flux", "kling", "guide"]);
    expect(await inOrder("rating")).toEqual(["kling", "guide", "flux"]);
  });

  it("tasks and families count the accessible models, each within the other's choice", async () => {
    const { store, connectionId, user } = await openStudio(await create());
    const count = (connectionIds: string[], filter: object = {}) =>
      countModelTasks(store, { userId: user.id, connectionIds, ...filter });
    expect(await count([connectionId])).toEqual({
      tasks: [
        { task: "chat", models: 1 },
        { task: "image", models: 3 },
      ],
      families: [
        { family: "flux", models: 1 },
        { family: "kling", models: 1 },
      ],
    });
    expect((await count([connectionId], { family: "flux" })).tasks).toEqual([
      { task: "image", models: 1 },
    ]);
    expect((await count([connectionId], { task: "chat" })).families).toEqual([]);
    const nothing = { tasks: [], families: [] };
    expect(await count(["c2"])).toEqual(nothing);
    expect(await count([])).toEqual(nothing);
  });

  it("a family includes its models in the list and among the used ones, and a person's facts move a model out", async () => {
    const { store, commit, make, list, user, connectionId } = await openStudio(await create());
    for (const modelId of ["flux", "kling"]) await make(modelId, 1_000);
    const facts = { capabilities: { seed: true } };
    await commit(({ tx, at }) =>
      putModelFacts(tx, { connectionId, modelId: "flux", facts, setBy: user.id, at }),
    );
    const filter = { userId: user.id, connectionIds: [connectionId], family: "flux" as const };
    const { models } = await listModels(store, { ...filter, limit: 10 });
    expect(models.map(({ modelId }) => modelId)).toEqual(["flux"]);
    const used = (await list(user.id, filter)).models;
    expect(used.map(({ model }) => model.modelId)).toEqual(["flux"]);
  });

  it("a model is found behind any number of others' private runs, and only visible runs are read", async () => {
    const { store, make, list, user, other } = await openStudio(await create());
    const hers = await make("flux", 3_000);
    for (let run = 0; run < 70; run++)
      await make("flux", 9_000, { by: other.id, visibility: "author", kind: null });
    await make("flux", 5_000, { visibility: "author", kind: null });
    const [used, ...more] = (await list()).models;
    expect(more).toEqual([]);
    expect([used?.model.modelId, used?.runs, used?.medianMs]).toEqual(["flux", 2, 3_000]);
    expect(used?.assets.map(({ id }) => id)).toEqual([hers]);

    // The answer from its index alone; with statistics of a small table, PostgreSQL would read it
    // whole.
    const plans = await plansOf(store, (watched) =>
      listUsedModels(watched, {
        ...{ projectId: used!.assets[0]!.projectId, userId: user.id, limit: 10 },
        connectionIds: ["c1"],
      }),
    );
    const ofRuns = plans.filter(({ query }) => / from "?run"? /.test(query));
    expect(ofRuns.length).toBeGreaterThanOrEqual(4);
    if (store.engine === "sqlite")
      for (const { plan } of ofRuns) expect(plan).toMatch(/run_model_(shared|own)/);
  });
});
