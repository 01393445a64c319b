import { v7 as uuid } from "uuid";
import { expect, it } from "vitest";
import type { AssetAction } from "#contract/filters/asset-filters.ts";
import { limits } from "#contract/limits.ts";
import type { RouteOutput } from "#contract/schemas/index.ts";
import { feedPlace, listChanges } from "#store/runs/changes.ts";
import { forEachDatabase, type TestDatabase } from "../../support/databases/databases.ts";
import { openProjectOfTwo } from "../../support/studio/project-of-two.ts";

type Outcome = RouteOutput<"updateAssets">;
type Act = {
  action: AssetAction;
  rating?: number;
  tags?: string[];
  tagIds?: string[];
  collectionId?: string;
  toProjectId?: string;
};

/** A project of two people. */
async function open(database: TestDatabase) {
  const { instance, ada, ben, projectId, add } = await openProjectOfTwo(database);
  const { store } = instance;
  const act = async (who: typeof ada, on: object, what: Act) => {
    const body = { projectId, ...on, ...what };
    return (await who.call<Outcome & { detail: string }>("updateAssets", { body })).body;
  };
  const marksOf = async (ids: readonly string[]) => {
    const rows = await store.read
      .selectFrom("asset")
      .select(["id", "pick", "rating", "trashed_at"])
      .where("id", "in", ids)
      .orderBy("id")
      .execute();
    return rows.map(({ pick, rating, trashed_at }) => [pick, rating, trashed_at !== null]);
  };
  return { instance, store, ada, ben, projectId, add, act, marksOf };
}

forEachDatabase((engine, create) => {
  it("an act reports how many it changed and skipped, and how to undo it", async () => {
    const { ada, add, act, marksOf } = await open(await create());
    const ids = (await add(4)).sort();
    await act(ada, { ids: [ids[0]] }, { action: "keep" });
    await act(ada, { ids: [ids[1]] }, { action: "rate", rating: 4 });
    const before = await marksOf(ids);
    const acts: Act[] = [
      { action: "keep" },
      { action: "reject" },
      { action: "rate", rating: 2 },
      { action: "trash" },
    ];
    for (const what of acts) {
      const asked = { ids: [...ids, uuid()] };
      const done = await act(ada, asked, what);
      const already = what.action === "keep" ? 1 : 0;
      expect(done.changed).toBe(4 - already);
      expect(done.left).toEqual(
        expect.arrayContaining([
          { reason: "gone", count: 1 },
          ...(already ? [{ reason: "already", count: 1 }] : []),
        ]),
      );
      expect((await act(ada, { ids }, what)).changed).toBe(0);
      for (const { ids: some, ...back } of done.undo) await act(ada, { ids: some }, back);
      expect(await marksOf(ids)).toEqual(before);
    }
  });

  it("each act on a selection or a filter is undone as one, with tags, places and projects", async () => {
    const { store, ada, projectId, add, act } = await open(await create());
    const [a, b, c, d] = (await add(4)) as [string, string, string, string];
    const { project } = (
      await ada.call<{ project: { id: string } }>("createProject", { body: { name: "Bridges" } })
    ).body;
    const { collection } = (
      await ada.call<{ collection: { id: string } }>("createCollection", {
        body: { projectId, name: "Lisbon" },
      })
    ).body;
    const collectionId = collection.id;
    await act(ada, { ids: [a, b] }, { action: "tag", tags: ["sea"] });
    await act(ada, { ids: [c, a] }, { action: "collect", collectionId });
    await act(ada, { ids: [b] }, { action: "keep" });
    await act(ada, { ids: [c] }, { action: "reject" });
    await act(ada, { ids: [d] }, { action: "rate", rating: 3 });
    const [tag] = (await ada.call<{ tags: { id: string }[] }>("listTags", { query: { projectId } }))
      .body.tags;
    const everything = async () => ({
      assets: await store.read
        .selectFrom("asset")
        .select(["id", "project_id", "pick", "rating", "trashed_at"])
        .orderBy("id")
        .execute(),
      tags: await store.read
        .selectFrom("asset_tag")
        .select(["asset_id", "tag_id"])
        .orderBy("asset_id")
        .orderBy("tag_id")
        .execute(),
      items: await store.read
        .selectFrom("collection_item")
        .select(["asset_id", "order_key"])
        .orderBy("order_key")
        .execute(),
    });
    const before = await everything();
    const acts: Act[] = [
      { action: "keep" },
      { action: "unkeep" },
      { action: "reject" },
      { action: "rate", rating: 5 },
      { action: "tag", tags: ["cover"] },
      { action: "tag", tagIds: [tag!.id] },
      { action: "untag", tagIds: [tag!.id] },
      { action: "collect", collectionId },
      { action: "uncollect", collectionId },
      { action: "move", toProjectId: project.id },
      { action: "trash" },
    ];
    for (const what of acts)
      for (const target of [{ ids: [a, b, c, d] }, { filter: {} }]) {
        const done = await act(ada, target, what);
        expect([what, await everything()]).not.toEqual([what, before]);
        for (const { ids, projectId: where = projectId, ...back } of done.undo)
          await ada.call("updateAssets", { body: { ...back, projectId: where, ids } });
        expect([what, await everything()]).toEqual([what, before]);
      }
  });

  it("an act on a filter leaves out the exceptions", async () => {
    const { ada, projectId, add, act, marksOf } = await open(await create());
    const ids = await add(3);
    const done = await act(ada, { filter: {}, exceptIds: [ids[1]] }, { action: "keep" });
    expect(done.changed).toBe(2);
    expect((await marksOf(ids)).map(([pick]) => pick)).toEqual(["kept", "none", "kept"]);
    expect(await act(ada, { ids, exceptIds: [ids[1]] }, { action: "keep" })).toMatchObject({
      code: "invalid_input",
    });
    expect(
      await act(ada, { filter: {}, exceptIds: ids }, { action: "tag", tags: ["unused"] }),
    ).toEqual({ changed: 0, left: [], undo: [] });
    expect((await ada.call("listTags", { query: { projectId } })).body).toMatchObject({ tags: [] });
  });

  it("an act that fails halfway reports what it did, how to undo it, and how many are left", async () => {
    const { instance, ada, add, act, marksOf } = await open(await create());
    const ids = await add(150);
    const { commit } = instance.deps;
    let commits = 0;
    instance.deps.commit = (run) => {
      commits += 1;
      return commits === 2 ? Promise.reject(new Error("database is locked")) : commit(run);
    };
    const done = await act(ada, { ids }, { action: "keep" });
    instance.deps.commit = commit;
    expect(done).toMatchObject({ changed: 100, left: [{ reason: "interrupted", count: 50 }] });
    for (const { ids: some, ...back } of done.undo) await act(ada, { ids: some }, back);
    expect((await marksOf(ids)).every(([pick]) => pick === "none")).toBe(true);
  });

  it("another person's private files are left alone, and nobody learns of them", async () => {
    const { store, ada, ben, projectId, add, act, marksOf } = await open(await create());
    const [own] = await add(1, { visibility: "author" });
    const [shared] = await add(1);
    expect(await act(ben, { ids: [own, shared] }, { action: "reject" })).toMatchObject({
      changed: 1,
      left: [{ reason: "gone", count: 1 }],
    });
    expect(await marksOf([own!])).toEqual([["none", 0, false]]);
    const place = await feedPlace(store.read, projectId);
    await act(ada, { filter: { pick: "none" } }, { action: "keep" });
    expect(await marksOf([own!])).toEqual([["kept", 0, false]]);
    expect(await listChanges(store.read, projectId, ben.user.id, place, 9)).toEqual([]);
  });

  it("all matches of a filter change in slices, each with one notice, and every list is updated", async () => {
    const { store, ada, ben, projectId, add, act } = await open(await create());
    await add(230, { kind: "video" });
    await add(3);
    const counts = async () =>
      (await ben.call("countAssets", { query: { projectId } })).body as { kept: number };
    expect(await counts()).toMatchObject({ all: 233, kept: 0 });
    const place = await feedPlace(store.read, projectId);
    const done = await act(ada, { filter: { kind: "video" } }, { action: "keep" });
    expect([done.changed, done.undo.map(({ ids }) => ids.length)]).toEqual([230, [230]]);
    expect((await feedPlace(store.read, projectId)) - place).toBe(3);
    expect(await counts()).toMatchObject({ all: 233, kept: 230 });
    await act(ada, { filter: { pick: "kept" } }, { action: "trash" });
    expect(await counts()).toMatchObject({ all: 3, kept: 0, trash: 230 });
    const told = await listChanges(store.read, projectId, ben.user.id, place, 9);
    expect(told.map(({ kind, id }) => [kind, id])).toEqual(Array(6).fill(["assets", projectId]));
  });

  it("neither 10,001 IDs nor a filter with as many matches is one act", async () => {
    const { instance, ada, projectId, add, act, marksOf } = await open(await create());
    const most = limits.actAssets;
    const ids = Array.from({ length: most + 1 }, () => uuid());
    const body = { projectId, ids, action: "keep" };
    expect((await ada.call("updateAssets", { body })).status).toBe(422);
    expect((await act(ada, { ids: ids.slice(1) }, { action: "keep" })).left).toEqual([
      { reason: "gone", count: most },
    ]);
    if (engine !== "sqlite") return;
    const [first] = await add(1);
    await instance.store.write(async (tx) => {
      const { row: _, ...row } = (await tx
        .selectFrom("asset")
        .selectAll()
        .executeTakeFirstOrThrow()) as { row?: number } & Record<string, unknown>;
      for (let from = 0; from < most; from += 500)
        await tx
          .insertInto("asset")
          .values(ids.slice(from, from + 500).map((id) => ({ ...row, id }) as never))
          .execute();
    });
    const { detail } = await act(ada, { filter: {} }, { action: "reject" });
    expect(detail).toContain("10,001");
    expect(await marksOf([first!])).toEqual([["none", 0, false]]);
    const others = { filter: {}, exceptIds: [first] };
    expect(await act(ada, others, { action: "reject" })).toMatchObject({ changed: most });
    expect(await marksOf([first!])).toEqual([["none", 0, false]]);
  });

  it("an act names IDs or a filter, and only a rating act rates", async () => {
    const { ada, projectId, add } = await open(await create());
    const ids = await add(1);
    for (const body of [
      { action: "keep" },
      { ids, filter: {}, action: "keep" },
      { ids, action: "rate" },
      { ids, action: "rate", rating: 6 },
      { ids, action: "keep", rating: 3 },
      { ids: [], action: "keep" },
    ])
      expect(
        (await ada.call("updateAssets", { body: { projectId, ...body } })).status,
        JSON.stringify(body),
      ).toBe(422);
  });
});
