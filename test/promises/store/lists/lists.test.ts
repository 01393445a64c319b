import { v7 as uuid } from "uuid";
import { expect, it } from "vitest";
import {
  getAssetsIn,
  insertAsset,
  insertRunInputs,
  listAssets,
  listMadeFrom,
  updateAssets,
} from "#store/content/assets.ts";
import { listConversations, searchMessages } from "#store/content/conversation-lists.ts";
import {
  completeMessage,
  insertConversation,
  insertMessage,
  purgeConversations,
  updateConversation,
} from "#store/content/conversations.ts";
import { insertImport, listImports } from "#store/content/project-imports.ts";
import { migrate } from "#store/database/migrate.ts";
import type { Store } from "#store/database/store.ts";
import { insertApiKey, listAllApiKeys, revokeApiKey } from "#store/people/api-keys.ts";
import { areKnown, insertUser, listPeople, updateUser } from "#store/people/people.ts";
import {
  areProjects,
  insertMember,
  insertProject,
  listAllProjects,
  listMembers,
} from "#store/people/projects.ts";
import { insertBatch, listBatches } from "#store/runs/batches.ts";
import { countWaitingRuns, getRunsByIds, listWaitingRuns } from "#store/runs/run-lists.ts";
import { insertRun } from "#store/runs/runs.ts";
import { newUnit } from "#store/runs/unit.ts";
import {
  createTestDatabase,
  forEachDatabase,
  type TestDatabase,
} from "../../../support/databases/databases.ts";
import {
  at,
  buildAsset,
  buildConversation,
  buildRun,
} from "../../../support/databases/store-rows.ts";
import { openTestStore } from "../../../support/databases/test-store.ts";

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
        // Many with the same time, so that the order has to continue by id.
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

  it("imports, what was made from an asset and runs that need approval come in pages, as many as there are", async () => {
    const store = await openWithProject(await create());
    await store.write(async (tx) => {
      const person = {
        id: "u",
        accountId: uuid(),
        email: "u@example.org",
        name: "u",
        role: "member",
      } as const;
      await insertUser(tx, { ...person, passwordHash: "", at });
      await insertProject(tx, { id: "q", name: "q", description: "", ownerId: "u", at: 0 });
    });
    const source = await addAsset(store, "source");
    const addRun = (facts: Partial<Parameters<typeof buildRun>[0]> = {}): Promise<string> => {
      const run = buildRun({ projectId: "p", userId: "u", connectionId: "c", ...facts });
      return store.write(async (tx) => {
        await insertRun(newUnit(tx, at), run);
        return run.id;
      });
    };
    const addMade = () =>
      store.write(async (tx) => {
        const run = buildRun({ projectId: "p", userId: "u", connectionId: "c" });
        await insertRun(newUnit(tx, at), run);
        await insertRunInputs(tx, run.id, [{ assetId: source, role: "image" }]);
        const made = buildAsset({ projectId: "p", createdBy: "u", runId: run.id, outputIndex: 0 });
        await insertAsset(newUnit(tx, at), made);
        return made.id;
      });
    const addImport = async (): Promise<string> => {
      const id = uuid();
      const facts = { projectId: uuid(), userId: "u", sha256: "hash", bytes: 1, name: "n" };
      await store.write(async (tx) => {
        await insertImport(tx, { ...facts, id, filesTotal: 1, filesMissing: 0, at });
        // Only one may be active at a time.
        await tx.updateTable("project_import").set({ state: "done" }).execute();
      });
      return id;
    };
    const made: string[] = [];
    const imports: string[] = [];
    const toManager: string[] = [];
    const toAdmin: string[] = [];
    const ofOthers: string[] = [];
    for (let i = 0; i < 20; i++) {
      made.push(await addMade());
      imports.push(await addImport());
      ofOthers.push(await addRun({ projectId: "q", waitingFor: "manager" }));
      toManager.push(await addRun({ waitingFor: "manager" }));
      toAdmin.push(await addRun({ waitingFor: "admin" }));
      await addRun({ waitingFor: "asker" });
    }
    const pages = { limit: 7 };
    expect(
      await readAll(async (cursor) => {
        const page = await listImports(store.read, { ...pages, userId: "u", cursor });
        return { ids: page.imports.map(({ id }) => id), next: page.next };
      }, addImport),
    ).toEqual(imports.toReversed());
    // A row created meanwhile is on the last page.
    expect(
      await readAll(
        async (cursor) => {
          const of = { ...pages, assetId: source, projectId: "p", userId: "u", cursor };
          const page = await listMadeFrom(store.read, of);
          return { ids: page.assets.map(({ id }) => id), next: page.next };
        },
        async () => made.push(await addMade()),
      ),
    ).toEqual(made);
    for (const [by, expected] of [
      [{ isAdmin: false, projectIds: ["p"] }, toManager],
      [{ isAdmin: true, projectIds: [] }, toAdmin],
      [{ isAdmin: true, projectIds: ["p"] }, [...toManager, ...toAdmin].sort()],
      [{ isAdmin: false, projectIds: [] }, []],
      [undefined, [...ofOthers, ...toManager, ...toAdmin].sort()],
    ] as const) {
      expect(
        await readAll(
          async (cursor) => {
            const runs = await listWaitingRuns(store.read, { after: cursor ?? "", limit: 7, by });
            const next = runs.length === 7 ? runs.at(-1)!.run.id : null;
            return { ids: runs.map(({ run }) => run.id), next };
          },
          async () => {},
        ),
      ).toEqual(expected);
      if (by) expect(await countWaitingRuns(store.read, by)).toBe(expected.length);
    }
  });

  it("pinned conversations come first, on as many pages as they fill", async () => {
    const store = await openWithProject(await create());
    const made: { id: string; pinned: boolean; updatedAt: number }[] = [];
    for (let i = 0; i < 30; i++) {
      const pinned = i % 2 === 0;
      const updatedAt = at + (i % 5);
      const conversation = buildConversation({ projectId: "p", userId: "u", at });
      const { id } = conversation;
      await store.write(async (tx) => {
        await insertConversation(newUnit(tx, at), conversation);
        await updateConversation(newUnit(tx, at), id, { pinned, updatedAt });
      });
      made.push({ id, pinned, updatedAt });
    }
    const expected = made.toSorted(
      (a, b) =>
        Number(b.pinned) - Number(a.pinned) || b.updatedAt - a.updatedAt || (a.id < b.id ? 1 : -1),
    );
    for (const limit of [4, 5, 15, 30])
      expect(
        await readAll(
          async (cursor) => {
            const filter = { projectId: "p", userId: "u", archived: false, limit };
            const page = await listConversations(store.read, {
              ...filter,
              ...(cursor && { cursor }),
            });
            expect(page.conversations.length).toBeLessThanOrEqual(limit);
            return { ids: page.conversations.map(({ id }) => id), next: page.next };
          },
          async () => undefined,
        ),
      ).toEqual(expected.map(({ id }) => id));
  });

  it("people come by name in pages without a gap or a repeat, also those of one name, and by a part of a name or address", async () => {
    const store = await openWithProject(await create());
    const addPerson = async (name: string, email: string): Promise<string> => {
      const user = { id: uuid(), accountId: uuid(), name, email, role: "member" as const };
      await store.write((tx) => insertUser(tx, { ...user, passwordHash: "", at }));
      return user.id;
    };
    const people: { id: string; name: string }[] = [];
    for (let i = 0; i < 20; i++) {
      const name = i % 4 === 0 ? "Ada 50%" : `Ben ${String(i).padStart(2, "0")}`;
      people.push({ name, id: await addPerson(name, `person.${i}@example.org`) });
    }
    const place = ({ name, id }: { name: string; id: string }) => `${name} ${id}`;
    const listed = await readAll(
      async (cursor) => {
        const page = await listPeople(store.read, { limit: 3, ...(cursor && { cursor }) });
        return { ids: page.people.map(({ id }) => id), next: page.next };
      },
      () => addPerson("Aaron", `${uuid()}@example.org`),
    );
    expect(listed).toEqual(
      people.toSorted((a, b) => (place(a) < place(b) ? -1 : 1)).map(({ id }) => id),
    );
    const find = async (q: string) => {
      const { people: found, count } = await listPeople(store.read, { q, limit: 50 });
      expect(count).toBe(found.length);
      return found.map(({ email }) => email);
    };
    expect(await find("BEN 1")).toHaveLength(8);
    expect(await find("son.13@")).toEqual(["person.13@example.org"]);
    expect(await find("50%")).toHaveLength(5);
    expect(await find("_")).toEqual([]);
    await addPerson("Ünal Ödül", "unal@example.org");
    for (const q of ["ünal ö", "Ünal", "ÖDÜL"]) expect(await find(q)).toEqual(["unal@example.org"]);
    await store.write((tx) => updateUser(tx, people[1]!.id, { status: "suspended" }));
    const active = await listPeople(store.read, { status: "active", q: "ben", limit: 50 });
    expect(active.count).toBe(14);
    expect(await areKnown(store.read, [people[0]!.id, people[0]!.id, people[1]!.id])).toBe(true);
    expect(await areKnown(store.read, [people[0]!.id, uuid()])).toBe(false);
  });

  it("members and all projects come by name in pages, and by part of a name, address or owner's name", async () => {
    const store = await openWithProject(await create());
    const addPerson = async (name: string, email: string): Promise<string> => {
      const user = { id: uuid(), accountId: uuid(), name, email, role: "member" as const };
      await store.write((tx) => insertUser(tx, { ...user, passwordHash: "", at }));
      return user.id;
    };
    const join = (userId: string) =>
      store.write((tx) => insertMember(tx, { projectId: "p", userId, role: "viewer", at }));
    const people: { id: string; name: string }[] = [];
    for (const name of ["Cleo", "Ben", "Ann", "Ben", "Ünal"]) {
      const id = await addPerson(name, `${name.length}${people.length}@example.org`);
      people.push({ id, name });
      await join(id);
      const project = { id: uuid(), name: `${name}’s`, description: "", ownerId: id, at };
      await store.write((tx) => insertProject(tx, project));
    }
    await addPerson("Ben Nobody", "nobody@example.org");
    const page = (cursor: string | undefined) => ({ limit: 2, ...(cursor && { cursor }) });
    const readMembers = (add: () => Promise<unknown> = async () => undefined) =>
      readAll(async (cursor) => {
        const { members, next } = await listMembers(store.read, "p", page(cursor));
        return { ids: members.map(({ userId }) => userId), next };
      }, add);
    const byName = () =>
      people
        .toSorted((a, b) => (`${a.name} ${a.id}` < `${b.name} ${b.id}` ? -1 : 1))
        .map(({ id }) => id);
    // The project's own author has no account here. None of their addresses ends like a searched
    // one.
    const joining = async () => join(await addPerson("Aaron", `${uuid()}-aaron@example.org`));
    expect(await readMembers(joining)).toEqual(byName());
    const find = async (q: string) => {
      const { members, count } = await listMembers(store.read, "p", { q, limit: 50 });
      expect(count).toBe(members.length);
      return members.map(({ name }) => name);
    };
    expect([await find("BEN"), await find("42@"), await find("ünal")]).toEqual([
      ["Ben", "Ben"],
      [],
      ["Ünal"],
    ]);
    expect(await find("32@")).toEqual(["Ann"]);
    // A renamed person moves in the list.
    people[0]!.name = "Adele";
    await store.write((tx) => updateUser(tx, people[0]!.id, { name: "Adele" }));
    const aarons = (await find("aaron")).length;
    expect((await readMembers()).slice(aarons)).toEqual(byName());
    expect(await find("cleo")).toEqual([]);

    const findProjects = async (q?: string) => {
      const names: string[] = [];
      for (let cursor: string | undefined; ; ) {
        const found = await listAllProjects(store.read, { ...page(cursor), ...(q && { q }) });
        names.push(...found.projects.map(({ name }) => name));
        if (found.next === null) {
          expect(found.count).toBe(names.length);
          return names;
        }
        cursor = found.next;
      }
    };
    expect(await findProjects()).toEqual(["Ann’s", "Ben’s", "Ben’s", "Cleo’s", "p", "Ünal’s"]);
    expect([await findProjects("ben"), await findProjects("adele")]).toEqual([
      ["Ben’s", "Ben’s"],
      ["Cleo’s"],
    ]);
    expect([
      await areProjects(store.read, ["p", "p"]),
      await areProjects(store.read, ["q"]),
    ]).toEqual([true, false]);
  });

  it("all keys are listed newest first in pages, without revoked ones, and by part of a name, owner or project", async () => {
    const store = await openWithProject(await create());
    const owners: string[] = [];
    for (const name of ["Ann", "Ben"]) {
      const user = { id: uuid(), accountId: uuid(), name, email: `${name}@example.org` };
      await store.write((tx) => insertUser(tx, { ...user, role: "member", passwordHash: "", at }));
      owners.push(user.id);
    }
    const made: string[] = [];
    const add = async (name: string, userId = owners[0]!): Promise<string> => {
      const id = uuid();
      const key = {
        id,
        userId,
        name,
        prefix: `bot_${made.length}`,
        hash: id,
        scopes: [],
        models: null,
      };
      await store.write((tx) =>
        insertApiKey(tx, {
          ...key,
          projectId: "p",
          ratePerMinute: 1,
          keepsRunning: false,
          expiresAt: null,
          createdAt: at,
        }),
      );
      return id;
    };
    for (let i = 0; i < 9; i++) made.push(await add(`Poster ${i}`, owners[i % 2]));
    await store.write((tx) => revokeApiKey(tx, { id: made[4]! }, at));
    const read = (q?: string, limit = 2) =>
      readAll(
        async (cursor) => {
          const page = await listAllApiKeys(store, { q, limit, ...(cursor && { cursor }) });
          if (!cursor) expect(page.count).toBe(q === "bot_3" ? 1 : q ? 4 : 8);
          return { ids: page.keys.map(({ id }) => id), next: page.next };
        },
        () => add("Later"),
      );
    const left = made.filter((_, i) => i !== 4).toReversed();
    expect(await read()).toEqual(left);
    const bens = made.filter((_, i) => i % 2 === 1).toReversed();
    expect([await read("ben"), await read("BEN@example")]).toEqual([bens, bens]);
    expect(await read("bot_3")).toEqual([made[3]]);
  });

  it("assets are read by more IDs than a statement takes parameters", async () => {
    const store = await openWithProject(await create());
    const ids = [await addAsset(store, "first"), await addAsset(store, "second")];
    const others = Array.from({ length: 70_000 }, () => uuid());
    const found = await getAssetsIn(store.read, "p", "u", [ids[1]!, ...others, ids[0]!]);
    expect(found.map(({ id }) => id)).toEqual(ids.toReversed());
    expect(await getRunsByIds(store.read, others)).toEqual([]);
  });

  it("a text that isn't a cursor is refused and names its field", async () => {
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

it("both databases find the same: without accents, by prefix, in other scripts, with special characters", async () => {
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

forEachDatabase((_, create) => {
  it("a search finds its own project's latest text, and nothing after the row is gone", async () => {
    const store = await openWithProject(await create());
    await store.write((tx) =>
      insertProject(tx, { id: "q", name: "q", description: "", ownerId: "u", at: 0 }),
    );
    const found = async (q: string, projectId = "p") => {
      const { assets } = await listAssets(store, {
        projectId,
        userId: "u",
        trash: false,
        limit: 20,
        q,
      });
      return assets.map(({ id }) => id);
    };
    const heron = await addAsset(store, "heron at dusk");
    expect(await found("her")).toEqual([heron]);
    expect(await found("heron", "q")).toEqual([]);
    expect(await found("heron", "a project that is not there")).toEqual([]);
    // A project's number precedes each word in SQLite's index.
    expect(await found("0000001heron")).toEqual([]);
    await store.write((tx) => updateAssets(newUnit(tx, at), [heron], { title: "egret" }));
    expect([await found("heron"), await found("egret")]).toEqual([[], [heron]]);
    await store.write((tx) => updateAssets(newUnit(tx, at), [heron], { deletedAt: at }));
    expect(await found("egret")).toEqual([]);
  });

  it("an answer's words are found once it has ended, only in its project, and not after its conversation is gone", async () => {
    const store = await openWithProject(await create());
    const conversation = buildConversation({ projectId: "p", userId: "u" });
    const message = {
      id: uuid(),
      parentId: null,
      role: "assistant",
      state: "streaming",
      parts: [],
      runId: null,
      continuesId: null,
    } as const;
    const parts = [{ type: "text", text: "Herons stand still." }] as const;
    await store.write(async (tx) => {
      const unit = newUnit(tx, at);
      await insertMessage(unit, await insertConversation(unit, conversation), {
        ...message,
        parts: [],
      });
      await completeMessage(newUnit(tx, at), message.id, "complete", [...parts]);
      await updateConversation(newUnit(tx, at), conversation.id, { trashedAt: null });
    });
    const found = async (projectId: string) =>
      (await searchMessages(store, { projectId, userId: "u", q: "stand her", limit: 20 })).map(
        ({ messageId }) => messageId,
      );
    expect([await found("p"), await found("q")]).toEqual([[message.id], []]);
    await store.write((tx) =>
      updateConversation(newUnit(tx, at), conversation.id, { trashedAt: at }),
    );
    await store.write((tx) => purgeConversations(tx, at + 1, 50));
    expect(await found("p")).toEqual([]);
  });
});

it("a word in thousands of files is listed page by page like a rare one", async () => {
  const store = await openWithProject(await createTestDatabase("sqlite"));
  const ids = await store.write(async (tx) => {
    const made: string[] = [];
    for (let i = 0; i < 2_100; i++) {
      const asset = buildAsset({ id: uuid(), projectId: "p", createdBy: "u", title: "heron" });
      made.push((await insertAsset(newUnit(tx, at), asset)).id);
    }
    return made;
  });
  const facts = { projectId: "p", userId: "u", trash: false, limit: 1_000, q: "heron" };
  const listed = await readAll(
    async (cursor) => {
      const page = await listAssets(store, { ...facts, ...(cursor && { cursor }) });
      return { ids: page.assets.map(({ id }) => id), next: page.next };
    },
    async () => undefined,
  );
  expect(listed).toEqual(ids.toReversed());
  // Others arrive late with older ids; the newest are still the first page.
  const early = ids.slice(0, 1_100).map((id) => id.replace(/^.{8}/, "00000000"));
  await store.write(async (tx) => {
    for (const id of early)
      await insertAsset(
        newUnit(tx, at),
        buildAsset({ id, projectId: "p", createdBy: "u", title: "heron" }),
      );
  });
  const { assets } = await listAssets(store, { ...facts, limit: 50 });
  expect(assets.map(({ id }) => id)).toEqual(ids.toReversed().slice(0, 50));
});

it("a word in thousands of messages is found in the newest, and in one's own even if all newer ones are another's", async () => {
  const store = await openWithProject(await createTestDatabase("sqlite"));
  const say = (userId: string, count: number) =>
    store.write(async (tx) => {
      const unit = newUnit(tx, at);
      const conversation = await insertConversation(
        unit,
        buildConversation({ projectId: "p", userId }),
      );
      const ids = Array.from({ length: count }, () => uuid());
      for (const id of ids)
        await insertMessage(unit, conversation, {
          id,
          parentId: null,
          role: "user",
          state: "complete",
          parts: [{ type: "text", text: "heron" }],
          runId: null,
          continuesId: null,
        });
      return ids.toReversed();
    });
  const [own, others] = [await say("u", 3), await say("other", 2_100)];
  const found = async (userId: string) =>
    (await searchMessages(store, { projectId: "p", userId, q: "heron", limit: 20 })).map(
      ({ messageId }) => messageId,
    );
  expect(await found("other")).toEqual(others.slice(0, 20));
  expect(await found("u")).toEqual(own);
});
