import { v7 as uuid } from "uuid";
import { expect, it, onTestFinished, vi } from "vitest";
import type { Tag } from "#contract/entities.ts";
import { limits } from "#contract/limits.ts";
import type { RouteOutput } from "#contract/schemas/index.ts";
import { longReads } from "#engine/threads/lists/long-reads.ts";
import { updateAssets } from "#store/content/assets.ts";
import { feedPlace, listChanges } from "#store/runs/changes.ts";
import { forEachDatabase, type TestDatabase } from "../../support/databases/databases.ts";
import type { Caller } from "../../support/server/instance.ts";
import { openProjectOfTwo } from "../../support/studio/project-of-two.ts";

type Outcome = RouteOutput<"updateAssets">;
type Refusal = { detail: string };

/** A project of two people with pictures in it. */
async function open(database: TestDatabase) {
  const { instance, ada, ben, projectId, add } = await openProjectOfTwo(database);
  const { store } = instance;
  const act = async (who: Caller, ids: readonly string[], what: object) => {
    const body = { projectId, ids, ...what };
    return who.call<Outcome & Refusal>("updateAssets", { body });
  };
  const tag = async (who: Caller, ids: readonly string[], ...tags: string[]) =>
    (await act(who, ids, { action: "tag", tags })).body;
  const tags = async (who: Caller, query: object = {}): Promise<Tag[]> =>
    (await who.call<RouteOutput<"listTags">>("listTags", { query: { projectId, ...query } })).body
      .tags;
  const named = async (who: Caller, query: object = {}) =>
    (await tags(who, query)).map(({ name, count }) => `${name} ${count}`);
  const list = async (who: Caller, query: object) =>
    (
      await who.call<RouteOutput<"listAssets">>("listAssets", { query: { projectId, ...query } })
    ).body.assets
      .map(({ id }) => id)
      .sort();
  const tagsOf = async (id: string) =>
    (
      await ada.call<RouteOutput<"getAsset">>("getAsset", { params: { assetId: id } })
    ).body.tags.map(({ name }) => name);
  return { instance, store, ada, ben, projectId, add, act, tag, tags, named, list, tagsOf };
}

forEachDatabase((engine, create) => {
  it("tags are added and removed in bulk, and each undo restores the earlier state", async () => {
    const { ada, add, act, tag, named, tagsOf } = await open(await create());
    const ids = await add(230);
    await tag(ada, ids.slice(0, 3), "Sea");
    const both = await tag(ada, ids, "sea", "cover");
    expect([both.changed, both.undo.map((one) => one.ids.length)]).toEqual([230, [3, 227]]);
    expect(await named(ada)).toEqual(["cover 230", "Sea 230"]);
    expect(await tagsOf(ids[0]!)).toEqual(["cover", "Sea"]);
    expect((await tag(ada, ids, "SEA")).left).toEqual([{ reason: "already", count: 230 }]);
    for (const { ids: some, ...back } of both.undo) await act(ada, some, back);
    expect(await named(ada)).toEqual(["Sea 3", "cover 0"]);
    const again = (await act(ada, ids, { action: "untag", tagIds: both.undo[1]!.tagIds })).body;
    expect([again.changed, again.left]).toEqual([3, [{ reason: "already", count: 227 }]]);
    for (const { ids: some, ...back } of again.undo) await act(ada, some, back);
    expect(await named(ada)).toEqual(["Sea 3", "cover 0"]);
  });

  it("a tag filter finds files with all tags, or any, and text search finds tags too", async () => {
    const { ada, projectId, add, tag, tags, list } = await open(await create());
    const [a, b, c] = (await add(3, { title: "harbour" })) as [string, string, string];
    await tag(ada, [a, b], "Île de Ré");
    await tag(ada, [b, c], "two inks");
    const known = await tags(ada);
    const both = known.map(({ id }) => id).join();
    expect(await list(ada, { tags: both })).toEqual([b]);
    expect(await list(ada, { tags: both, tagMatch: "any" })).toEqual([a, b, c]);
    expect(await list(ada, { tags: `${both},${uuid()}` })).toEqual([]);
    expect(await list(ada, { q: "ile" })).toEqual([a, b]);
    expect(await list(ada, { q: "harbour ré" })).toEqual([a, b]);
    expect(await list(ada, { q: "ink ile harb" })).toEqual([b]);
    const everywhere = { query: { projectId, q: "ink ile harb" } };
    const { assets } = (await ada.call<RouteOutput<"search">>("search", everywhere)).body;
    expect(assets.map(({ id }) => id)).toEqual([b]);
    expect(await list(ada, { q: "ink lighthouse" })).toEqual([]);
    expect(await list(ada, { q: "harbour" })).toEqual([a, b, c]);
    // Every object in JavaScript has a property of this name.
    expect(await list(ada, { q: "constructor", sort: "rating" })).toEqual([]);
    expect(await list(ada, { q: "harbour constructor", sort: "rating" })).toEqual([]);
    const [first] = known.filter(({ name }) => name === "two inks");
    await ada.call("updateTag", { params: { tagId: first!.id }, body: { name: "riso" } });
    expect([await list(ada, { q: "inks" }), await list(ada, { q: "riso" })]).toEqual([[], [b, c]]);
  });

  it("the palette finds the newest files of a tag, and no other person's, without reading the library", async () => {
    const { ada, ben, projectId, add, tag } = await open(await create());
    const ids = await add(7, { title: "harbour" });
    const [own] = await add(1, { visibility: "author" });
    const [trashed] = await add(1);
    await tag(ada, [...ids, own!, trashed!], "sea shore");
    await tag(ada, ids.slice(0, 2), "seagulls");
    await ada.call("updateAssets", {
      body: { projectId, ids: [trashed], action: "trash" },
    });
    const reads = vi.spyOn(longReads, "readLibrary");
    onTestFinished(() => reads.mockRestore());
    const find = async (who: Caller, q: string) =>
      (
        await who.call<RouteOutput<"search">>("search", { query: { projectId, q } })
      ).body.assets.map(({ id }) => id);
    const newest = ids.toReversed();
    expect(await find(ada, "sea")).toEqual([own, ...newest].slice(0, 5));
    expect(await find(ben, "sea")).toEqual(newest.slice(0, 5));
    expect(await find(ben, "seagull harb")).toEqual([ids[1], ids[0]]);
    expect(await find(ben, "shore lighthouse")).toEqual([]);
    expect(await find(ben, "sea constructor")).toEqual([]);
    expect(await find(ada, "sea seag")).toEqual([ids[1], ids[0]]);
    expect(reads).not.toHaveBeenCalled();
  });

  it("a merged or deleted tag is gone from every asset, count and filter", async () => {
    const { ada, add, tag, tags, named, list, tagsOf } = await open(await create());
    const ids = await add(510);
    await tag(ada, ids, "sea");
    await tag(ada, ids.slice(0, 2), "ocean");
    const idOf = async (name: string) => (await tags(ada)).find((one) => one.name === name)!.id;
    const [sea, ocean] = [await idOf("sea"), await idOf("ocean")];
    const self = await ada.call("mergeTag", { params: { tagId: sea }, body: { into: sea } });
    expect(self.status).toBe(422);
    await ada.call("mergeTag", { params: { tagId: sea }, body: { into: ocean } });
    expect([await named(ada), await tagsOf(ids[0]!)]).toEqual([["ocean 510"], ["ocean"]]);
    expect(await list(ada, { tags: sea })).toEqual([]);
    expect((await ada.call("removeTag", { params: { tagId: ocean } })).status).toBe(200);
    expect([await named(ada), await list(ada, { tags: ocean })]).toEqual([[], []]);
    expect((await ada.call("removeTag", { params: { tagId: ocean } })).status).toBe(404);
    const again = { projectId: ada.projectId, ids, action: "tag", tagIds: [ocean] };
    expect((await ada.call("updateAssets", { body: again })).status).toBe(404);
  });

  it("a tag used only on another person's private assets is unknown to everyone else", async () => {
    const { store, ada, ben, projectId, add, tag, named, list, tags } = await open(await create());
    const [own] = await add(1, { visibility: "author" });
    const [shared] = await add(1);
    await named(ben);
    const place = await feedPlace(store.read, projectId);
    await tag(ada, [own!], "secret");
    await tag(ada, [own!, shared!], "sea");
    expect(await named(ada)).toEqual(["sea 2", "secret 1"]);
    expect([await named(ben), await named(ben, { q: "sec" })]).toEqual([["sea 1"], []]);
    const [secret] = await tags(ada, { q: "secret" });
    expect(await list(ben, { tags: secret!.id })).toEqual([]);
    expect(await list(ben, { q: "secret" })).toEqual([]);
    expect((await tag(ben, [own!], "sea")).left).toEqual([{ reason: "gone", count: 1 }]);
    const told = await listChanges(store.read, projectId, ben.user.id, place, 9);
    expect(told.map(({ kind, id }) => `${kind} ${id}`)).toEqual(
      ["tag", "tag", "assets"].map((kind) => `${kind} ${projectId}`),
    );
  });

  it("trashed files count in no tag, and deleted ones have none", async () => {
    const { instance, store, ada, add, tag, named } = await open(await create());
    const ids = await add(2);
    await tag(ada, ids, "sea");
    await instance.commit((unit) => updateAssets(unit, [ids[0]!], { trashedAt: unit.at }));
    expect(await named(ada)).toEqual(["sea 1"]);
    await instance.commit((unit) => updateAssets(unit, ids, { deletedAt: unit.at }));
    expect(await named(ada)).toEqual(["sea 0"]);
    expect(await store.read.selectFrom("asset_tag").selectAll().execute()).toEqual([]);
  });

  it("a name is one line of at most 60 visible characters", async () => {
    const { ada, add, act, named, tags } = await open(await create());
    const ids = await add(1);
    const family = "👩‍👩‍👧‍👦";
    const refusalOf = async (name: string) => {
      const { status, body } = await act(ada, ids, { action: "tag", tags: [name] });
      return [status, body.detail];
    };
    const most = limits.tagCharacters;
    expect(await refusalOf(family.repeat(200))).toEqual([
      422,
      expect.stringContaining(`A tag can have at most ${most} characters. This one has 200.`),
    ]);
    expect((await refusalOf("x".repeat(20_000)))[1]).toContain(`at most ${most} characters`);
    expect((await refusalOf(`a${"\u0301".repeat(2_000)}`))[1]).toContain("too much space");
    for (const empty of ["", " \n ", "\u200b\u2060", "\u202e"])
      expect([empty, (await refusalOf(empty))[1]]).toEqual([
        empty,
        expect.stringContaining("Enter a tag."),
      ]);
    const longest = family.repeat(most);
    for (const name of [longest, "  two\n inks\u202e ", "e\u0301te\u0301", "Ｓｅａ", "sea"])
      expect((await act(ada, ids, { action: "tag", tags: [name] })).status).toBe(200);
    expect((await named(ada)).sort()).toEqual(
      ["été 1", "Ｓｅａ 1", "two inks 1", `${longest} 1`].sort(),
    );
    const [ink] = await tags(ada, { q: "ink" });
    const rename = (name: string) =>
      ada.call<Refusal>("updateTag", { params: { tagId: ink!.id }, body: { name } });
    expect((await rename("SEA")).body.detail).toContain("already a tag named “SEA”");
    expect((await rename("Two Inks")).status).toBe(200);
  });

  it("a rename never reveals a tag used only on another person's private files", async () => {
    const { ada, ben, add, tag, tags, named } = await open(await create());
    const [shared] = await add(1);
    const [own] = await add(1, { createdBy: ben.user.id, visibility: "author" });
    await tag(ada, [shared!], "draft");
    await tag(ben, [own!], "secret");
    const [draft] = await tags(ada);
    const renamed = await ada.call<{ tag: { id: string } }>("updateTag", {
      params: { tagId: draft!.id },
      body: { name: "Secret" },
    });
    expect([renamed.status, renamed.body.tag.id]).toEqual([200, draft!.id]);
    expect(await named(ada)).toEqual(["Secret 1"]);
    expect(await named(ben)).toEqual(["Secret 2"]);
  });

  it("an asset takes 50 tags and a project 5,000, and both limits are reported", async () => {
    const { store, ada, projectId, add, act, tag } = await open(await create());
    const ids = await add(2);
    for (let from = 0; from < limits.tagsPerAsset; from += 10)
      await tag(ada, ids.slice(0, 1), ...Array.from({ length: 10 }, (_, i) => `tag ${from + i}`));
    expect(await tag(ada, ids, "one more")).toMatchObject({
      changed: 1,
      left: [{ reason: "tooManyTags", count: 1 }],
    });
    if (engine !== "sqlite") return;
    await store.write(async (tx) => {
      for (let from = 100; from < limits.tagsPerProject; from += 100)
        await tx
          .insertInto("tag")
          .values(
            Array.from({ length: 100 }, (_, i) => ({
              id: uuid(),
              project_id: projectId,
              name: `more ${from + i}`,
              folded: `more ${from + i}`,
              search: "more",
              created_by: ada.user.id,
              created_at: 0,
            })),
          )
          .execute();
    });
    for (let i = 0; i < 4; i += 1)
      await act(ada, ids, {
        action: "tag",
        tags: Array.from({ length: 10 }, (_, n) => `${i} ${n}`),
      });
    await act(ada, ids, { action: "tag", tags: Array.from({ length: 9 }, (_, n) => `last ${n}`) });
    const { body } = await act(ada, ids, { action: "tag", tags: ["one too many"] });
    expect(body.detail).toContain("at most 5000 tags");
  });

  it("tags are listed most used first, by prefix, in pages without a gap", async () => {
    const { ada, projectId, add, tag, named } = await open(await create());
    const ids = await add(3);
    await tag(ada, ids.slice(0, 1), "beta", "alpha", "new beta");
    await tag(ada, ids, "omega");
    expect(await named(ada)).toEqual(["omega 3", "alpha 1", "beta 1", "new beta 1"]);
    expect(await named(ada, { q: "BET" })).toEqual(["beta 1", "new beta 1"]);
    const seen: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const query = { projectId, limit: "1", ...(cursor && { cursor }) };
      const { body } = await ada.call<RouteOutput<"listTags">>("listTags", { query });
      seen.push(...body.tags.map(({ name }) => name));
      cursor = body.next;
    }
    expect(seen).toEqual(["omega", "alpha", "beta", "new beta"]);
  });
});
