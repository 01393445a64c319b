import { v7 as uuid } from "uuid";
import { expect, it } from "vitest";
import { getAssetsIn, insertAsset, listAssets } from "#store/content/assets.ts";
import {
  insertConversation,
  listConversations,
  updateConversation,
} from "#store/content/conversations.ts";
import { migrate } from "#store/database/migrate.ts";
import type { Store } from "#store/database/store.ts";
import { insertProject } from "#store/people/projects.ts";
import { insertBatch, listBatches } from "#store/runs/batches.ts";
import { getRunsByIds } from "#store/runs/run-lists.ts";
import { newUnit } from "#store/runs/unit.ts";
import {
  createTestDatabase,
  forEachDatabase,
  type TestDatabase,
} from "../../support/databases/databases.ts";
import { at, buildAsset, buildConversation } from "../../support/databases/store-rows.ts";
import { openTestStore } from "../../support/databases/test-store.ts";

async function openWithProject(database: TestDatabase): Promise<Store> {
  const store = openTestStore(database);
  await migrate(store, 0);
  await store.write((tx) =>
    insertProject(tx, { id: "p", name: "p", description: "", ownerId: "u", at: 0 }),
  );
  return store;
}

async function addAsset(store: Store, title: string, id = uuid()): Promise<string> {
  const asset = buildAsset({ id, projectId: "p", createdBy: "u", sha256: `hash of ${id}`, title });
  await store.write((tx) => insertAsset(newUnit(tx, at), asset));
  return id;
}

/** Reads a list to its end, adding a row before every page but the first. */
async function readAll(
  list: (cursor: string | undefined) => Promise<{ ids: string[]; next: string | null }>,
  add: () => Promise<unknown>,
): Promise<string[]> {
  const seen: string[] = [];
  for (let cursor: string | undefined; ; await add()) {
    const { ids, next } = await list(cursor);
    seen.push(...ids);
    if (next === null) return seen;
    cursor = next;
  }
}

forEachDatabase((_, create) => {
  it("pages of every list have no gap and no repeat while rows are added", async () => {
    const store = await openWithProject(await create());
    const addBatch = async (): Promise<string> => {
      const id = uuid();
      await store.write((tx) =>
        insertBatch(tx, {
          id,
          projectId: "p",
          kind: "one",
          task: "image",
          input: {},
          createdBy: "u",
          at,
        }),
      );
      return id;
    };
    const addConversation = async (): Promise<string> => {
      const conversation = buildConversation({ projectId: "p", userId: "u" });
      const { id } = conversation;
      await store.write(async (tx) => {
        await insertConversation(newUnit(tx, at), conversation);
        // Many of the same moment: the order has to go on by the id.
        await updateConversation(newUnit(tx, at), id, { updatedAt: at + (id.charCodeAt(35) % 3) });
      });
      return id;
    };
    const addNewConversation = () =>
      store.write((tx) =>
        insertConversation(
          newUnit(tx, at),
          buildConversation({ projectId: "p", userId: "u", at: at + 9 }),
        ),
      );
    const made: { asset: string[]; batch: string[]; conversation: string[] } = {
      asset: [],
      batch: [],
      conversation: [],
    };
    for (let i = 0; i < 40; i++) {
      made.asset.push(await addAsset(store, `picture ${i}`));
      made.batch.push(await addBatch());
      made.conversation.push(await addConversation());
    }

    const assets = await readAll(
      async (cursor) => {
        const page = await listAssets(store, {
          projectId: "p",
          userId: "u",
          trash: false,
          limit: 7,
          ...(cursor && { cursor }),
        });
        return { ids: page.assets.map((asset) => asset.id), next: page.next };
      },
      () => addAsset(store, "added"),
    );
    expect(assets).toEqual(made.asset.toReversed());

    const batches = await readAll(async (cursor) => {
      const page = await listBatches(store.read, {
        projectId: "p",
        userId: "u",
        limit: 7,
        ...(cursor && { cursor }),
      });
      return { ids: page.batches.map((batch) => batch.id), next: page.next };
    }, addBatch);
    expect(batches).toEqual(made.batch.toReversed());

    const conversations = await readAll(async (cursor) => {
      const page = await listConversations(store.read, {
        projectId: "p",
        userId: "u",
        archived: false,
        limit: 7,
        ...(cursor && { cursor }),
      });
      return { ids: page.conversations.map((conversation) => conversation.id), next: page.next };
    }, addNewConversation);
    expect(new Set(conversations).size).toBe(conversations.length);
    expect([...conversations].sort()).toEqual([...made.conversation].sort());
  });

  it("assets are read by more ids than a statement takes parameters", async () => {
    const store = await openWithProject(await create());
    const ids = [await addAsset(store, "first"), await addAsset(store, "second")];
    const others = Array.from({ length: 70_000 }, () => uuid());
    const found = await getAssetsIn(store.read, "p", "u", [ids[1]!, ...others, ids[0]!]);
    expect(found.map(({ id }) => id)).toEqual(ids.toReversed());
    expect(await getRunsByIds(store.read, others)).toEqual([]);
  });

  it("a text that is no cursor is refused and names its field", async () => {
    const store = await openWithProject(await create());
    for (const cursor of ["x", "bnVsbA", Buffer.from('["a",1]').toString("base64url")])
      await expect(
        listBatches(store.read, { projectId: "p", userId: "u", limit: 7, cursor }),
      ).rejects.toMatchObject({
        code: "invalid_input",
        detail: { field: "cursor" },
      });
  });
});

const titles = [
  "Crème brûlée",
  "naive cafe",
  "Ĳsselmeer bei Nacht",
  "東京 タワー",
  "Привет, мир",
  "שלום עולם",
  "a lamp_post's light",
  "ＦＵＬＬ width",
  '50% off -- "quoted"',
];
const searches: [q: string, found: string[]][] = [
  ["creme BRULEE", ["Crème brûlée"]],
  ["crè", ["Crème brûlée"]],
  ["café", ["naive cafe"]],
  ["ijssel", ["Ĳsselmeer bei Nacht"]],
  ["nacht bei", ["Ĳsselmeer bei Nacht"]],
  ["東京", ["東京 タワー"]],
  ["タワ", ["東京 タワー"]],
  ["ПРИВ", ["Привет, мир"]],
  ["שלו", ["שלום עולם"]],
  ["post lamp", ["a lamp_post's light"]],
  ["full", ["ＦＵＬＬ width"]],
  ['"quoted', ['50% off -- "quoted"']],
  ["50%", ['50% off -- "quoted"']],
  ["amp", []],
  ["brulee cafe", []],
];

it("both databases find the same: without accents, by beginnings, in other scripts, with signs that mean something to them", async () => {
  const stores = [
    await openWithProject(await createTestDatabase("sqlite")),
    await openWithProject(await createTestDatabase("postgres")),
  ];
  for (const store of stores) for (const title of titles) await addAsset(store, title);
  for (const store of stores) {
    for (const [q, found] of searches) {
      const { assets } = await listAssets(store, {
        projectId: "p",
        userId: "u",
        trash: false,
        limit: 20,
        q,
      });
      expect([store.engine, q, assets.map((asset) => asset.title)]).toEqual([
        store.engine,
        q,
        found,
      ]);
    }
  }
});
