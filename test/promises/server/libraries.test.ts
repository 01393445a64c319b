import { sql } from "kysely";
import { v7 as uuid } from "uuid";
import { expect, it, vi } from "vitest";
import { type Asset, assetKinds, picks, type RunState } from "#contract/entities.ts";
import { type AssetSort, assetSorts } from "#contract/filters/asset-filters.ts";
import { taskNames } from "#contract/tasks.ts";
import { createLibraryCache } from "#engine/threads/lists/library-cache.ts";
import { insertAsset, insertRunInputs, listAssets, updateAssets } from "#store/content/assets.ts";
import {
  insertConversation,
  insertMessage,
  updateConversation,
} from "#store/content/conversations.ts";
import { findInLibrary, rankTitles, readLibrary } from "#store/content/libraries.ts";
import type { LibraryView } from "#store/content/library-views.ts";
import { insertConnection } from "#store/models/connections.ts";
import { pruneChanges } from "#store/runs/changes.ts";
import { insertRun, type NewRun, notifyRun } from "#store/runs/runs.ts";
import { forEachDatabase, type TestDatabase } from "../../support/databases/databases.ts";
import {
  at,
  buildAsset,
  buildConnection,
  buildConversation,
  buildRun,
} from "../../support/databases/store-rows.ts";
import { createInstance } from "../../support/server/instance.ts";

const pageSize = 3;
/**
 * Small parts, so that layouts of a few assets span several and pages begin anywhere in them. Few
 * changes at once, so that a few assets are changed in several turns.
 */
const usual = { partSize: 2, changesMost: 2_000, changesAtOnce: 2 };
const hourMs = 60 * 60_000;

/** A project with two people, and its library as two servers cache it. */
async function open(database: TestDatabase, sizes = usual) {
  const instance = await createInstance(database, { endsWithTest: true, start: false });
  const { store, commit } = instance;
  const { projectId, user } = await instance.createPerson("ada@example.org");
  const other = (await instance.createPerson("ben@example.org")).user;
  const connection = buildConnection();
  await commit((unit) => insertConnection(unit.tx, connection));
  const whole = vi.fn((id: string) => readLibrary(store, id));
  const ranked = vi.fn((id: string) => rankTitles(store, id));
  const reads = {
    readLibrary: whole,
    findInLibrary: (words: { projectId: string; q: string }) => findInLibrary(store, words),
    rankTitles: ranked,
  };
  const libraries = createLibraryCache(store, reads, sizes);
  const add = async (facts: Partial<Parameters<typeof buildAsset>[0]> = {}): Promise<string> => {
    const id = facts.id ?? uuid();
    const asset = { projectId, createdBy: user.id, sha256: `hash of ${id}`, ...facts, id };
    await commit((unit) => insertAsset(unit, buildAsset(asset)));
    return id;
  };
  return { store, commit, projectId, user, other, connection, whole, ranked, libraries, add };
}

type Opened = Awaited<ReturnType<typeof open>>;

const views = ({ connection }: Opened) => [
  {},
  { trash: true },
  ...assetKinds.map((kind) => ({ kind })),
  ...picks.map((pick) => ({ pick })),
  { source: "made" as const },
  { source: "uploaded" as const, pick: "kept" as const },
  { connectionId: connection.id, modelId: "model" },
  { connectionId: connection.id, modelId: "another" },
];

/** Compares each person's cached library with its rows. */
async function compare(opened: Opened, of: readonly object[] = views(opened)): Promise<void> {
  const { store, projectId, libraries, user, other } = opened;
  for (const userId of [user.id, other.id]) {
    const listed = async (view: object) =>
      (await listAssets(store, { projectId, userId, trash: false, limit: 200, ...view })).assets;
    for (const view of of) {
      const layout = await libraries.layOut(
        { projectId, userId },
        { trash: false, ...view },
        pageSize,
      );
      const assets = await listed(view);
      const ratios = Buffer.from(layout.ratios, "base64");
      expect({
        ...layout,
        ratios: Array.from({ length: ratios.length / 2 }, (_, i) => ratios.readUInt16LE(2 * i)),
        times: layout.times.flatMap(({ at, count }) => Array<number>(count).fill(at)),
        cursors: await Promise.all(
          layout.cursors.map(
            async (cursor) =>
              (
                await listAssets(store, {
                  projectId,
                  userId,
                  trash: false,
                  ...view,
                  cursor,
                  limit: 1,
                })
              ).assets[0]?.id,
          ),
        ),
      }).toEqual({
        groups: [],
        count: assets.length,
        ratios: assets.map(({ width, height }) =>
          width && height ? Math.round((1_000 * width) / height) : 1_000,
        ),
        times: assets.map(({ createdAt }) => createdAt - (createdAt % (hourMs / 4))),
        cursors: assets.filter((_, i) => i % pageSize === 0).map(({ id }) => id),
      });
    }
    expect(await libraries.count(projectId, userId)).toEqual({
      all: (await listed({})).length,
      kept: (await listed({ pick: "kept" })).length,
      uploads: (await listed({ source: "uploaded" })).length,
      trash: (await listed({ trash: true })).length,
    });
  }
}

/** A library with something for every filter, and each asset's run. */
async function openMixed(database: TestDatabase) {
  const opened = await open(database);
  const { commit, add, user, other, connection, projectId } = opened;
  const runOf = new Map<
    string,
    Pick<NewRun, "task" | "connectionId" | "modelId"> & {
      state: RunState;
      costMicros: number | null;
    }
  >();
  const make = async (
    costMicros: number | null,
    asset: Parameters<typeof add>[0],
    { state = "queued", ...run }: Partial<NewRun> & { state?: RunState } = {},
    inputs: string[] = [],
  ): Promise<string> => {
    const made = buildRun({
      projectId,
      userId: user.id,
      connectionId: connection.id,
      modelId: "model",
      ...run,
    });
    await commit(async (unit) => {
      await insertRun(unit, made);
      const roles = inputs.map((assetId, i) => ({ assetId, role: `image.${i}` }));
      await insertRunInputs(unit.tx, made.id, roles);
      await unit.tx
        .updateTable("run")
        .set({ cost_micros: costMicros, state })
        .where("id", "=", made.id)
        .execute();
    });
    const id = await add({ runId: made.id, outputIndex: 0, ...asset });
    runOf.set(id, { ...made, state, costMicros });
    return id;
  };
  const wide = await add({ uploadId: uuid(), width: 1_920, height: 1_080, bytes: 70 });
  const mine = await add({ uploadId: uuid(), width: 500, height: 500, bytes: 5_000_000_000 });
  await make(40_000, { width: 512, height: 512, createdAt: at + 3 * hourMs, title: "heron one" });
  await make(
    0,
    { width: 600, height: 900, bytes: 70, title: "heron two" },
    { task: "edit", state: "cancelled" },
    [wide],
  );
  await make(
    null,
    { kind: "video", durationMs: 6_000, width: 1_280, height: 720 },
    { task: "video" },
  );
  await make(250_000, { kind: "audio", durationMs: 61_000, width: null, height: null });
  await make(40_000, { createdBy: other.id, visibility: "author" }, { userId: other.id });
  await make(90_000, { createdBy: other.id, title: "heron" }, { userId: other.id });
  // Only its author knows this run.
  const own = { userId: other.id, visibility: "author" as const };
  await make(5, { createdBy: other.id, visibility: "author" }, own, [mine]);
  const usedBy = new Map<string, string | null>([
    [wide, null],
    [mine, other.id],
  ]);
  const ids = [...runOf.keys()];
  for (const [i, id] of ids.entries())
    await commit((unit) => updateAssets(unit, [id], { rating: i % 6 }));
  return { ...opened, make, mine, runOf, usedBy };
}
type Mixed = Awaited<ReturnType<typeof openMixed>>;

const isIn = (value: number | null, from: number, to = Number.POSITIVE_INFINITY) =>
  value !== null && value >= from && value <= to;
const ratioOf = ({ width, height }: Asset) => (width && height ? width / height : null);
const pixelsOf = ({ width, height }: Asset) => (width && height ? width * height : null);

/** Each filter of a library, next to the same filter in plain code. */
const narrowings = ({ runOf, usedBy, connection, other }: Mixed) => {
  const costOf = ({ id }: Asset) => runOf.get(id)?.costMicros ?? null;
  const isUsed = ({ id }: Asset, userId: string) =>
    usedBy.has(id) && [null, userId].includes(usedBy.get(id)!);
  return [
    [{ state: "cancelled" }, (asset) => runOf.get(asset.id)?.state === "cancelled"],
    [{ state: "queued" }, (asset) => runOf.get(asset.id)?.state === "queued"],
    [{ task: "edit" }, (asset) => runOf.get(asset.id)?.task === "edit"],
    [{ connectionId: connection.id }, (asset) => runOf.has(asset.id)],
    [{ connectionId: "another" }, () => false],
    [{ createdBy: other.id }, (asset) => asset.createdBy === other.id],
    [{ aspect: "landscape" }, (asset) => isIn(ratioOf(asset), 1.1)],
    [{ aspect: "portrait" }, (asset) => isIn(ratioOf(asset), 0, 0.9)],
    [{ aspect: "square" }, (asset) => isIn(ratioOf(asset), 0.96, 1.04)],
    [{ used: true }, isUsed],
    [{ used: false }, (asset, userId) => !isUsed(asset, userId)],
    [{ ranges: { rating: "3.." } }, ({ rating }) => rating >= 3],
    [{ ranges: { costMicros: "40000..90000" } }, (asset) => isIn(costOf(asset), 40_000, 90_000)],
    [{ ranges: { costMicros: "..0" } }, (asset) => costOf(asset) === 0],
    [{ ranges: { bytes: "70..70" } }, ({ bytes }) => bytes === 70],
    [{ ranges: { pixels: "1000000.." } }, (asset) => isIn(pixelsOf(asset), 1_000_000)],
    [{ ranges: { durationMs: "..10000" } }, ({ durationMs }) => isIn(durationMs, 0, 10_000)],
    [{ ranges: { createdAt: `${at + 1}..` } }, ({ createdAt }) => createdAt > at],
    [
      { kind: "image", ranges: { rating: "1..", costMicros: "1.." } },
      (asset) => asset.kind === "image" && asset.rating >= 1 && isIn(costOf(asset), 1),
    ],
  ] satisfies [Partial<LibraryView>, (asset: Asset, userId: string) => boolean][];
};

forEachDatabase((_, create) => {
  it("each filter finds its matches, and counts nobody else's private files", async () => {
    const mixed = await openMixed(await create());
    const { store, projectId, libraries, user, other } = mixed;
    for (const userId of [user.id, other.id]) {
      const all = (await listAssets(store, { projectId, userId, trash: false, limit: 200 })).assets;
      for (const [view, isWanted] of narrowings(mixed)) {
        const wanted = all.filter((asset) => isWanted(asset, userId)).map(({ id }) => id);
        const asked = { trash: false, ...view } as LibraryView;
        const said = JSON.stringify(view);
        const { ids } = await libraries.page({ projectId, userId }, asked, { limit: 50 });
        expect([said, ids]).toEqual([said, wanted]);
        const { count } = await libraries.layOut({ projectId, userId }, asked, pageSize);
        expect([said, count]).toEqual([said, wanted.length]);
      }
    }
  });

  it("in every sort pages have no gap and no repeat while files are added, changed and removed", async () => {
    const mixed = await openMixed(await create());
    const { projectId, libraries, user, other, commit, add, make } = mixed;
    const scope = { projectId, userId: user.id };
    let number = 99;
    for (const by of assetSorts)
      for (const order of ["asc", "desc"] as const) {
        const view: LibraryView = { trash: false, sort: { by, order } };
        const whole = (await libraries.page(scope, view, { limit: 200 })).ids;
        // The first item of the second page, which its cursor names.
        const gone = whole.at(2)!;
        const seen: string[] = [];
        for (let cursor: string | undefined; ; ) {
          const page = await libraries.page(scope, view, { limit: 2, ...(cursor && { cursor }) });
          seen.push(...page.ids);
          if (page.next === null) break;
          cursor = page.next;
          if (seen.length > 2) continue;
          await add({ bytes: 70, width: 500, height: 500, createdBy: other.id });
          // A model and a title that precede all others, and so renumber them.
          number -= 1;
          await make(40_000, { title: `a${number}` }, { modelId: `a${number}` });
          await commit((unit) => updateAssets(unit, [gone], { trashedAt: at }));
        }
        const said = `${by} ${order}`;
        expect([said, seen.filter((id) => whole.includes(id))]).toEqual([
          said,
          whole.filter((id) => id !== gone),
        ]);
        expect([said, new Set(seen).size]).toEqual([said, seen.length]);
        await commit((unit) => updateAssets(unit, [gone], { trashedAt: null }));
      }
  });

  it("a maintained order equals a fresh read of the library after each change", async () => {
    const mixed = await openMixed(await create());
    const { store, projectId, libraries, user, other, commit, add, make, mine, whole } = mixed;
    const sorts = assetSorts.flatMap((by) =>
      (["asc", "desc"] as const).map((order) => ({ sort: { by, order } })),
    );
    const narrow = narrowings(mixed).flatMap(([view], i) => (i % 4 === 0 ? view : []));
    // No more than are cached; otherwise each would be rebuilt.
    const looked = [
      ...sorts.map((view) => ({ userId: user.id, view: { trash: false, ...view } })),
      ...narrow.map((view) => ({ userId: other.id, view: { trash: false, ...view } })),
    ] as { userId: string; view: LibraryView }[];
    const [first = "", second = ""] = [...mixed.runOf.keys()];
    const changes = [
      () => commit((unit) => updateAssets(unit, [first], { rating: 5 })),
      () => add({ bytes: 70 }),
      () => commit((unit) => updateAssets(unit, [first, mine], { trashedAt: at })),
      () => make(60_000, { width: 640, height: 480 }, {}, [second]),
      () => make(60_000, { width: 640, height: 480 }),
      () => commit((unit) => updateAssets(unit, [mine], { trashedAt: null })),
      // Its id precedes all others, so each of them has moved.
      () => add({ id: "00000000-0000-7000-8000-000000000000", bytes: 80 }),
      () => commit((unit) => updateAssets(unit, [second], { rating: 0, title: "egret" })),
      () => add({ title: "heron one" }),
    ];
    for (const [step, change] of [async () => undefined, ...changes].entries()) {
      await change();
      const anew = createLibraryCache(store, {
        readLibrary: (id) => readLibrary(store, id),
        findInLibrary: async () => new Uint8Array(),
        rankTitles: (id) => rankTitles(store, id),
      });
      for (const { userId, view } of looked) {
        const said = `${step} ${JSON.stringify(view)}`;
        const [kept, made] = await Promise.all(
          [libraries, anew].map((of) => of.page({ projectId, userId }, view, { limit: 200 })),
        );
        expect([said, kept!.ids]).toEqual([said, made!.ids]);
      }
    }
    expect(whole).toHaveBeenCalledTimes(1);
  });

  it("a group holds all its files, in the requested sort, and groups are ordered by their first file", async () => {
    const mixed = await openMixed(await create());
    const { projectId, libraries, user, other, connection, make } = mixed;
    const ordered = uuid();
    const of = { batchId: ordered };
    const made = [await make(7, {}, of)];
    await make(9, {}, { modelId: "another", batchId: uuid() });
    made.push(await make(3, {}, of), await make(8, {}, { modelId: "another", ...of }));
    const hidden = await make(
      1,
      { createdBy: other.id, visibility: "author" },
      { userId: other.id, visibility: "author", ...of },
    );
    const scope = { projectId, userId: user.id };
    const whole = async (view: Partial<LibraryView>) =>
      (await libraries.page(scope, { trash: false, ...view }, { limit: 200 })).ids;
    for (const group of ["batch", "model"] as const)
      for (const sort of [undefined, { by: "costMicros", order: "asc" }] as const) {
        const flat = await whole({ sort });
        const view = { trash: false, group, sort };
        const grouped = await whole(view);
        const { count, groups, times, cursors } = await libraries.layOut(scope, view, pageSize);
        expect([grouped.toSorted(), count, times]).toEqual([flat.toSorted(), flat.length, []]);
        let start = 0;
        const firsts: number[] = [];
        for (const one of groups) {
          const within = grouped.slice(start, start + one.count);
          expect(within).toEqual(flat.filter((id) => within.includes(id)));
          firsts.push(flat.indexOf(within[0]!));
          start += one.count;
        }
        expect([start, firsts]).toEqual([flat.length, firsts.toSorted((a, b) => a - b)]);
        const pages: string[] = [];
        for (const cursor of cursors)
          pages.push(...(await libraries.page(scope, view, { cursor, limit: pageSize })).ids);
        expect(pages).toEqual(grouped);
        // A new item in the first group is in order immediately.
        const late = await make(2, {}, of);
        expect((await whole(view)).toSorted()).toEqual([...flat, late].toSorted());
        made.push(late);
      }
    const grouped = await whole({ group: "batch" });
    expect(grouped.slice(0, made.length)).toEqual(made.toReversed());
    expect(grouped).not.toContain(hidden);
    const { groups } = await libraries.layOut(scope, { trash: false, group: "model" }, pageSize);
    expect(groups.map(({ model }) => model?.modelId ?? null).toSorted()).toEqual(
      ["another", "model", null].toSorted(),
    );
    expect(groups.find(({ model }) => model)?.model?.connectionId).toBe(connection.id);
    const counted = await libraries.countModels(projectId, user.id);
    expect(counted.map(({ modelId, count }) => [modelId, count])).toEqual(
      groups
        .filter(({ model }) => model !== null)
        .toSorted((a, b) => b.count - a.count)
        .map(({ model, count }) => [model!.modelId, count]),
    );
  });

  it("each sort has the largest or smallest first, and files without the value last", async () => {
    const mixed = await openMixed(await create());
    const { store, projectId, libraries, user, other, runOf, make, commit, connection } = mixed;
    await commit((unit) =>
      unit.tx.updateTable("user").set({ name: "Zoë" }).where("id", "=", user.id).execute(),
    );
    await commit((unit) =>
      unit.tx.updateTable("user").set({ name: "ärni" }).where("id", "=", other.id).execute(),
    );
    const scope = { projectId, userId: user.id };
    // In order. The two without an accent in common begin with the same word.
    const titles = ["Älpine", "alpine 2", "heron", "heron one", "heron two"];
    const aqua = { ...buildConnection(), name: "Äqua" };
    await commit((unit) => insertConnection(unit.tx, aqua));
    for (const [i, modelId] of ["z", "a", "model"].entries())
      await make(
        1,
        { kind: "text", title: titles[i]! },
        { modelId, connectionId: i === 1 ? aqua.id : connection.id },
      );
    const [often = "", once = ""] = [...runOf.keys()];
    const own = { userId: other.id, visibility: "author" as const };
    await make(1, {}, {}, [once, often, once]);
    await make(1, {}, {}, [often]);
    for (let i = 0; i < 2; i += 1)
      await make(1, { createdBy: other.id, visibility: "author" }, own, [once]);
    await commit(async (unit) => {
      const marked = [...runOf.keys()];
      await updateAssets(unit, marked.slice(0, 2), { pick: "kept" });
      await updateAssets(unit, marked.slice(2, 4), { pick: "rejected" });
    });
    const { assets } = await listAssets(store, { ...scope, trash: false, limit: 200 });
    const byId = new Map(assets.map((asset) => [asset.id, asset]));
    const models = ["a", "model", "z"];
    const connections = [aqua.id, connection.id];
    const sortedBy: Record<AssetSort, (asset: Asset) => number | null> = {
      // By id, which is in order of creation.
      createdAt: ({ id }) => assets.length - assets.findIndex((asset) => asset.id === id),
      rating: ({ rating }) => rating,
      costMicros: ({ id }) => runOf.get(id)?.costMicros ?? null,
      bytes: ({ bytes }) => Math.min(bytes, 2 ** 32 - 2),
      pixels: pixelsOf,
      durationMs: ({ durationMs }) => durationMs,
      kind: ({ kind }) => assetKinds.indexOf(kind),
      task: ({ id }) => (runOf.has(id) ? taskNames.indexOf(runOf.get(id)!.task) : null),
      model: ({ id }) => (runOf.has(id) ? models.indexOf(runOf.get(id)!.modelId) : null),
      connection: ({ id }) =>
        runOf.has(id) ? connections.indexOf(runOf.get(id)!.connectionId) : null,
      title: ({ title }) => (title ? titles.indexOf(title) : null),
      person: ({ createdBy }) => [other.id, user.id].indexOf(createdBy),
      aspect: (asset) => ratioOf(asset),
      pick: ({ pick }) => ["rejected", "none", "kept"].indexOf(pick),
      used: ({ id }) => (id === often ? 2 : Number(id === once || mixed.usedBy.get(id) === null)),
    };
    for (const by of assetSorts)
      for (const order of ["asc", "desc"] as const) {
        const view: LibraryView = { trash: false, sort: { by, order } };
        const { ids } = await libraries.page(scope, view, { limit: 200 });
        const values = ids.map((id) => sortedBy[by](byId.get(id)!));
        const known = values.filter((value) => value !== null);
        expect(values.slice(0, known.length)).toEqual(
          known.toSorted((a, b) => (order === "asc" ? a - b : b - a)),
        );
        expect(ids.toSorted()).toEqual([...byId.keys()].sort());
      }
    const byUse: LibraryView = { trash: false, sort: { by: "used", order: "desc" } };
    const most = async (userId: string) =>
      (await libraries.page({ projectId, userId }, byUse, { limit: 1 })).ids;
    // Nobody else counts a person's private runs.
    expect([await most(user.id), await most(other.id)]).toEqual([[often], [once]]);
  });

  it("a new, changed or removed title is placed among the others, without numbering all again", async () => {
    const { projectId, libraries, user, add, commit, ranked } = await open(await create());
    const scope = { projectId, userId: user.id };
    const view: LibraryView = { trash: false, sort: { by: "title", order: "asc" } };
    const titleOf = new Map<string, string>();
    const list = async () =>
      (await libraries.page(scope, view, { limit: 99 })).ids.map((id) => titleOf.get(id));
    const put = async (title: string) => {
      titleOf.set(await add({ title, promptText: "" }), title);
    };
    const change = (id: string, of: Parameters<typeof updateAssets>[2]) =>
      commit((unit) => updateAssets(unit, [id], of));
    const inOrder = () => {
      const titles = [...titleOf.values()]
        .filter((title) => title !== "")
        .sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
      return [...titles, ...Array<string>(titleOf.size - titles.length).fill("")];
    };
    await put("bay");
    expect([await list(), ranked.mock.calls.length]).toEqual([["bay"], 1]);
    for (const title of ["cape", "arch", "bay", "", "bay 10", "bay 9", "10", "9", "a", "cape"]) {
      await put(title);
      expect(await list()).toEqual(inOrder());
    }
    // Several at once, before, between, equal to and after the others.
    for (const title of ["aa", "bay", "bay 9b", "cove", "100", "reef", "zoo"]) await put(title);
    expect(await list()).toEqual(inOrder());
    for (const [i, id] of [...titleOf.keys()].entries()) {
      const title = ["bay", "", "bay 11", "reef"][i % 4]!;
      await change(id, i % 5 === 0 ? { rating: 4, pick: "kept" } : { title });
      if (i % 5 !== 0) titleOf.set(id, title);
      if (i % 2 === 0) expect(await list()).toEqual(inOrder());
    }
    const [first = ""] = titleOf.keys();
    await change(first, { deletedAt: at });
    titleOf.delete(first);
    expect([await list(), ranked.mock.calls.length]).toEqual([inOrder(), 1]);
  });

  it("titles are in the same order on every database, however it was created", async () => {
    const { projectId, libraries, user, add, store } = await open(await create());
    if (store.file === undefined)
      await sql`alter table asset alter column search type text collate "en-x-icu"`.execute(
        store.db,
      );
    for (const title of [
      "zebra 10",
      "zebra",
      "øre",
      "Zebra 2",
      "heron bay",
      "heronry",
      "zebra 010",
      "img1200b",
      "img300",
    ])
      await add({ title, promptText: "" });
    const scope = { projectId, userId: user.id };
    const view: LibraryView = { trash: false, sort: { by: "title", order: "asc" } };
    const { ids } = await libraries.page(scope, view, { limit: 20 });
    const { assets } = await listAssets(store, { ...scope, trash: false, limit: 20 });
    const titles = ids.map((id) => assets.find((asset) => asset.id === id)?.title);
    expect(titles).toEqual([
      "heron bay",
      "heronry",
      "img300",
      "img1200b",
      "zebra",
      "Zebra 2",
      "zebra 010",
      "zebra 10",
      "øre",
    ]);
  });

  it("text is searched within the filters, in the requested order", async () => {
    const { projectId, libraries, user, add } = await openMixed(await create());
    const scope = { projectId, userId: user.id, q: "heron" };
    const view: LibraryView = { trash: false, sort: { by: "costMicros", order: "desc" } };
    const find = async (q: string, ranges: LibraryView["ranges"] = {}) =>
      (await libraries.page({ ...scope, q }, { ...view, ranges }, { limit: 9 })).ids.length;
    expect(await find("heron")).toBe(3);
    expect(await find("heron", { costMicros: "1.." })).toBe(2);
    expect(await find("egret")).toBe(0);
    await add({ title: "egret" });
    expect(await find("egret")).toBe(1);
    expect((await libraries.layOut(scope, { trash: false }, pageSize)).count).toBe(3);
  });

  it("a run that ends or is shared updates the search of its assets", async () => {
    const { commit, projectId, libraries, user, connection, mine, add } = await openMixed(
      await create(),
    );
    const scope = { projectId, userId: user.id };
    const find = async (view: Partial<LibraryView>) =>
      (await libraries.page(scope, { trash: false, ...view }, { limit: 50 })).ids;
    expect(await find({ used: true })).not.toContain(mine);
    const run = buildRun({ projectId, userId: user.id, connectionId: connection.id });
    await commit(async (unit) => {
      await insertRun(unit, run);
      await insertRunInputs(unit.tx, run.id, [{ assetId: mine, role: "image" }]);
      notifyRun(unit, run);
    });
    expect(await find({ used: true })).toContain(mine);
    const made = await add({ runId: run.id, outputIndex: 0 });
    expect(await find({ ranges: { costMicros: "7..7" } })).toEqual([]);
    await commit(async (unit) => {
      await unit.tx.updateTable("run").set({ cost_micros: 7 }).where("id", "=", run.id).execute();
      notifyRun(unit, run);
    });
    expect(await find({ ranges: { costMicros: "7..7" } })).toEqual([made]);
  });

  it("counts and layouts match the rows after each change, for each person", async () => {
    const opened = await open(await create());
    const { commit, add, user, other, connection, projectId, whole } = opened;
    const early = uuid();
    await compare(opened);

    const picture = await add({ width: 3, height: 2 });
    const film = await add({ kind: "video", width: 1920, height: 1080, createdAt: at + hourMs });
    const own = await add({ visibility: "author", createdBy: other.id, uploadId: uuid() });
    await compare(opened);

    // Its id is older than the existing ones.
    await add({ id: early, width: 1, height: 4, createdAt: at - 50 * hourMs });
    await compare(opened);

    await commit((unit) => updateAssets(unit, [picture, own], { pick: "kept" }));
    await compare(opened);
    await commit((unit) => updateAssets(unit, [picture], { pick: "rejected" }));
    await commit((unit) => updateAssets(unit, [film, early], { trashedAt: at }));
    await compare(opened);
    await commit((unit) => updateAssets(unit, [early], { deletedAt: at }));
    await commit((unit) => updateAssets(unit, [film], { trashedAt: null }));
    await compare(opened);

    // Sharing a conversation shares its results, and unsharing hides them.
    const conversation = buildConversation({ projectId, userId: user.id });
    const messageId = uuid();
    const run = buildRun({
      projectId,
      userId: user.id,
      connectionId: connection.id,
      modelId: "model",
      messageId,
      visibility: "author",
    });
    await commit(async (unit) => {
      const made = await insertConversation(unit, conversation);
      await insertMessage(unit, made, {
        id: messageId,
        parentId: null,
        role: "assistant",
        state: "complete",
        parts: [],
        runId: null,
        continuesId: null,
      });
      await insertRun(unit, run);
    });
    await add({ runId: run.id, outputIndex: 0, visibility: "author" });
    await compare(opened);
    await commit((unit) => updateConversation(unit, conversation.id, { visibility: "project" }));
    await compare(opened);
    await commit((unit) => updateConversation(unit, conversation.id, { visibility: "author" }));
    await compare(opened);
    expect(whole).toHaveBeenCalledTimes(1);
  });

  it("a cached layout matches the rows after each change, wherever the change is", async () => {
    const opened = await open(await create());
    const { commit, add } = opened;
    // As few as are cached at once.
    const few = [{}, { trash: true }, { pick: "kept" as const }];
    const early = uuid();
    const ids: string[] = [];
    for (let i = 0; i < 9; i++) ids.push(await add({ width: i + 1, height: 4 }));
    const [first, second, , fourth, fifth] = ids as [string, string, string, string, string];
    await compare(opened, few);
    await commit((unit) => updateAssets(unit, [first, fourth], { pick: "kept" }));
    await compare(opened, few);
    await add({ width: 7, height: 2 });
    await compare(opened, few);
    await commit((unit) => updateAssets(unit, [fifth], { trashedAt: at }));
    await compare(opened, few);
    await commit((unit) => updateAssets(unit, [second], { deletedAt: at }));
    await compare(opened, few);
    await add({ id: early, width: 1, height: 4 });
    await compare(opened, few);
    await commit((unit) => updateAssets(unit, [fifth, early], { pick: "kept", trashedAt: null }));
    await compare(opened, few);
  });

  it("a large act's assets are read by their ids, in turns, unless reading all costs less", async () => {
    const opened = await open(await create(), { ...usual, changesMost: 3 });
    const { commit, add, whole, libraries, projectId, user } = opened;
    const ids: string[] = [];
    for (let i = 0; i < 20; i++) ids.push(await add());
    await compare(opened, [{}]);
    await commit((unit) => updateAssets(unit, ids.slice(4, 9), { pick: "kept" }));
    const asked = libraries.count(projectId, user.id);
    await commit((unit) => updateAssets(unit, ids.slice(0, 2), { trashedAt: at }));
    expect(await asked).toMatchObject({ kept: 5 });
    await compare(opened, [{}, { pick: "kept" }, { trash: true }]);
    expect(whole).toHaveBeenCalledTimes(1);

    await commit((unit) => updateAssets(unit, ids.slice(3, 10), { pick: "none" }));
    await compare(opened, [{}, { pick: "kept" }]);
    expect(whole).toHaveBeenCalledTimes(2);
  });

  it("a library is read whole again if its change notices are gone", async () => {
    const opened = await open(await create());
    const { store, add, whole } = opened;
    await add();
    await compare(opened);
    await add();
    await add();
    await store.write((tx) => pruneChanges(tx, Number.MAX_SAFE_INTEGER, 2));
    await compare(opened);
    expect(whole).toHaveBeenCalledTimes(2);
  });

  it("a library that couldn't be read is read by the next request", async () => {
    const { projectId, user, add, whole, libraries } = await open(await create());
    await add();
    whole.mockRejectedValueOnce(new Error("no thread"));
    const asked = [0, 1].map(() => libraries.count(projectId, user.id));
    expect(await Promise.allSettled(asked)).toMatchObject([
      { status: "rejected" },
      { status: "fulfilled", value: { all: 1 } },
    ]);
  });
});
