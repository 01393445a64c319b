import { v7 as uuid } from "uuid";
import { expect, it } from "vitest";
import type { Collection } from "#contract/entities.ts";
import { limits } from "#contract/limits.ts";
import type { RouteOutput } from "#contract/schemas/index.ts";
import { doChores } from "#engine/recover/chores.ts";
import { updateAssets } from "#store/content/assets.ts";
import { dissolveCollection } from "#store/content/collections.ts";
import { forEachDatabase, type TestDatabase } from "../../support/databases/databases.ts";
import type { Caller } from "../../support/server/instance.ts";
import { openProjectOfTwo } from "../../support/studio/project-of-two.ts";

type Outcome = RouteOutput<"updateAssets"> & { detail: string };
type Answer = { collection: Collection; detail: string };

/** A project of two people with pictures in it. */
async function open(database: TestDatabase) {
  const { instance, ada, ben, projectId, add } = await openProjectOfTwo(database);
  const create = async (name: string, rest: object = {}) =>
    ada.call<Answer>("createCollection", { body: { projectId, name, ...rest } });
  const act = async (who: Caller, ids: readonly string[], action: object) =>
    who.call<Outcome>("updateAssets", { body: { projectId, ids, ...action } });
  const change = (collectionId: string, body: object) =>
    ada.call<Answer>("updateCollection", { params: { collectionId }, body });
  const move = (who: Caller, collectionId: string, ids: readonly string[], after: string | null) =>
    who.call<{ moved: number }>("orderCollection", {
      params: { collectionId },
      body: { ids, after },
    });
  /** Reads in order, two at a time. */
  const read = async (who: Caller, collectionId: string): Promise<string[]> => {
    const ids: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const query = { projectId, collectionId, sort: "position", limit: "2" };
      const { body } = await who.call<RouteOutput<"listAssets">>("listAssets", {
        query: { ...query, ...(cursor && { cursor }) },
      });
      ids.push(...body.assets.map(({ id }) => id));
      cursor = body.next;
    }
    return ids;
  };
  const list = async (who: Caller, query: object = {}) =>
    (
      await who.call<RouteOutput<"listCollections">>("listCollections", {
        query: { projectId, ...query },
      })
    ).body.collections;
  return { instance, ada, ben, projectId, add, create, act, change, move, read, list };
}

forEachDatabase((engine, create) => {
  it("a collection keeps its order, and an undo restores each place", async () => {
    const house = await open(await create());
    const { ada, add, act, read, list } = house;
    const [a, b, c, d] = (await add(4)) as [string, string, string, string];
    const { id } = (await house.create("  Lisbon  ")).body.collection;
    const put = await act(ada, [c, a, b], { action: "collect", collectionId: id });
    expect([put.body.changed, await read(ada, id)]).toEqual([3, [c, a, b]]);
    const again = await act(ada, [a, d], { action: "collect", collectionId: id });
    expect(again.body.left).toEqual([{ reason: "already", count: 1 }]);
    const out = await act(ada, [a, c], { action: "uncollect", collectionId: id });
    expect(await read(ada, id)).toEqual([b, d]);
    for (const { ids, ...back } of out.body.undo) await act(ada, ids, back);
    expect(await read(ada, id)).toEqual([c, a, b, d]);
    expect(await list(ada)).toMatchObject([{ name: "Lisbon", count: 4, cover: { id: d } }]);
    await house.change(id, { coverAssetId: a });
    expect(await list(ada)).toMatchObject([{ cover: { id: a } }]);
    await house.instance.commit((unit) => updateAssets(unit, [a, b], { trashedAt: unit.at }));
    expect(await list(ada)).toMatchObject([{ count: 2, cover: { id: d } }]);
    expect(await read(ada, id)).toEqual([c, d]);
  });

  it("two people's simultaneous moves both end up where they were put", async () => {
    const house = await open(await create());
    const { ada, ben, add, act, move, read } = house;
    const ids = await add(6);
    const [a, b, c, d, e, f] = ids as [string, string, string, string, string, string];
    const { id } = (await house.create("Lisbon")).body.collection;
    await act(ada, ids, { action: "collect", collectionId: id });
    await Promise.all([move(ada, id, [f], a), move(ben, id, [b], d)]);
    expect(await read(ada, id)).toEqual([a, f, c, d, b, e]);
    await move(ada, id, [e, a], null);
    expect(await read(ben, id)).toEqual([e, a, f, c, d, b]);
    // After one of themselves: at that one's place.
    await move(ada, id, [c, f], f);
    expect(await read(ada, id)).toEqual([e, a, c, f, d, b]);
    for (let i = 0; i < 300; i += 1) await move(ada, id, [i % 2 ? d : b], a);
    expect(await read(ada, id)).toEqual([e, a, d, b, c, f]);
    expect((await move(ada, id, [uuid()], null)).status).toBe(404);
    expect((await move(ada, id, [a], uuid())).status).toBe(404);
  });

  it("other people's private pictures are in no list, count, cover or move of a collection", async () => {
    const house = await open(await create());
    const { ada, ben, projectId, add, act, move, read, list } = house;
    const [first, last] = (await add(2)) as [string, string];
    const [own] = (await add(1, { visibility: "author" })) as [string];
    const { id } = (await house.create("Lisbon")).body.collection;
    await act(ada, [first, own, last], { action: "collect", collectionId: id });
    await house.change(id, { coverAssetId: own });
    expect([await read(ada, id), await read(ben, id)]).toEqual([
      [first, own, last],
      [first, last],
    ]);
    expect(await list(ada)).toMatchObject([{ count: 3, cover: { id: own } }]);
    expect(await list(ben)).toMatchObject([{ count: 2, cover: { id: last } }]);
    expect((await move(ben, id, [own], null)).status).toBe(404);
    await move(ben, id, [last], null);
    expect(await read(ada, id)).toEqual([last, first, own]);
    const layout = await ben.call<RouteOutput<"layoutAssets">>("layoutAssets", {
      query: { projectId, collectionId: id, sort: "position" },
    });
    expect([layout.body.count, layout.body.times]).toEqual([2, []]);
  });

  it("a smart collection is only a filter, and accepts no files", async () => {
    const house = await open(await create());
    const { ada, add, act, move } = house;
    const ids = await add(1);
    const query = { kind: "image", rating: "3..", tags: uuid() };
    const made = await house.create("Best", { kind: "smart", query });
    expect(made.body.collection).toMatchObject({ kind: "smart", query, count: 0, cover: null });
    const { id } = made.body.collection;
    const later = { pick: "kept" };
    expect((await house.change(id, { query: later })).body.collection.query).toEqual(later);
    for (const bad of [
      { kind: "smart" },
      { kind: "smart", query: { kind: "poem" } },
      { kind: "smart", query: { nothing: "1" } },
      { kind: "smart", query: { collectionId: id } },
      { kind: "smart", query: { sort: "position" } },
      { query },
    ])
      expect([bad, (await house.create("Bad", bad)).status]).toEqual([bad, 422]);
    const put = await act(ada, ids, { action: "collect", collectionId: id });
    expect([put.status, put.body.detail]).toEqual([422, expect.stringContaining("saved search")]);
    expect((await move(ada, id, ids, null)).status).toBe(422);
    const list = { projectId: house.projectId, sort: "position" };
    expect((await ada.call("listAssets", { query: list })).status).toBe(422);
  });

  it("a collection in the trash is hidden until it is restored, and is deleted after 30 days", async () => {
    const house = await open(await create());
    const { instance, ada, add, act, change, read, list } = house;
    const ids = await add(2);
    const { id } = (await house.create("Lisbon")).body.collection;
    await act(ada, ids, { action: "collect", collectionId: id });
    const remove = () => ada.call("removeCollection", { params: { collectionId: id } });
    expect((await remove()).status).toBe(409);
    await change(id, { trashed: true });
    expect([await list(ada), await read(ada, id)]).toEqual([[], []]);
    expect(await list(ada, { trash: "true" })).toMatchObject([{ id, count: 2 }]);
    expect((await act(ada, ids, { action: "collect", collectionId: id })).status).toBe(404);
    await change(id, { trashed: false });
    expect(await read(ada, id)).toEqual(ids);
    await change(id, { trashed: true });
    await instance.store.write((tx) =>
      tx
        .updateTable("collection")
        .set({ trashed_at: Date.now() - limits.trashMs - 60_000 })
        .execute(),
    );
    await doChores(instance.engineDeps);
    expect(await list(ada, { trash: "true" })).toEqual([]);
    const rows = await instance.store.read.selectFrom("collection_item").selectAll().execute();
    expect(rows).toEqual([]);
    expect((await remove()).status).toBe(404);
  });

  it("a collection restored just before its deletion stays", async () => {
    const { instance, ada, add, act, create: make, change, read } = await open(await create());
    const ids = await add(2);
    const { id } = (await make("Lisbon")).body.collection;
    await act(ada, ids, { action: "collect", collectionId: id });
    const dissolve = (before?: number) =>
      instance.commit((unit) => dissolveCollection(unit, id, before));
    expect(await dissolve(Date.now() + 60_000)).toBe(true);
    await expect(dissolve()).rejects.toMatchObject({ code: "conflict" });
    await change(id, { trashed: true });
    expect(await dissolve(Date.now() - 60_000)).toBe(true);
    await change(id, { trashed: false });
    expect(await read(ada, id)).toEqual(ids);
  });

  it("collections are listed by name in pages without a gap, and a full one says so", async () => {
    const { instance, ada, add, act, create: make, list } = await open(await create());
    for (const name of ["beta", "Alpha", "alpha"]) await make(name);
    const pages: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const query = { projectId: ada.projectId, limit: "1", ...(cursor && { cursor }) };
      const { body } = await ada.call<RouteOutput<"listCollections">>("listCollections", { query });
      pages.push(...body.collections.map(({ name }) => name));
      cursor = body.next;
    }
    expect(pages).toEqual(["Alpha", "alpha", "beta"]);
    if (engine !== "sqlite") return;
    const [{ id }] = (await list(ada)) as [Collection];
    const most = limits.assetsPerCollection;
    await instance.store.write(async (tx) => {
      for (let from = 1; from < most; from += 1_000)
        await tx
          .insertInto("collection_item")
          .values(
            Array.from({ length: Math.min(1_000, most - from) }, (_, i) => ({
              collection_id: id,
              asset_id: `asset ${from + i}`,
              order_key: "V",
              added_by: "u",
              added_at: 0,
            })),
          )
          .execute();
    });
    const put = await act(ada, await add(2), { action: "collect", collectionId: id });
    expect([put.body.changed, put.body.left]).toEqual([
      1,
      [{ reason: "collectionFull", count: 1 }],
    ]);
  });
});
