import { v7 as uuid } from "uuid";
import { expect, it, vi } from "vitest";
import { assetKinds, picks } from "#contract/entities.ts";
import { createKeptLibraries } from "#engine/threads/lists/kept-libraries.ts";
import { insertAsset, listAssets, updateAssets } from "#store/content/assets.ts";
import {
  insertConversation,
  insertMessage,
  updateConversation,
} from "#store/content/conversations.ts";
import { readLibrary } from "#store/content/libraries.ts";
import { insertConnection } from "#store/models/connections.ts";
import { pruneChanges } from "#store/runs/changes.ts";
import { insertRun } from "#store/runs/runs.ts";
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
/** Layouts of a few assets are put together from several parts, and pages begin anywhere in them. */
const partSize = 2;
const hourMs = 60 * 60_000;

/** A project with two people in it, and its library as two servers keep it. */
async function open(database: TestDatabase) {
  const instance = await createInstance(database, { endsWithTest: true, start: false });
  const { store, commit } = instance;
  const { projectId, user } = await instance.createPerson("ada@example.org");
  const other = (await instance.createPerson("ben@example.org")).user;
  const connection = buildConnection();
  await commit((unit) => insertConnection(unit.tx, connection));
  const whole = vi.fn((id: string) => readLibrary(store, id));
  const libraries = createKeptLibraries(store, whole, partSize);
  const add = async (facts: Partial<Parameters<typeof buildAsset>[0]> = {}): Promise<string> => {
    const id = facts.id ?? uuid();
    const asset = { projectId, createdBy: user.id, sha256: `hash of ${id}`, ...facts, id };
    await commit((unit) => insertAsset(unit, buildAsset(asset)));
    return id;
  };
  return { store, commit, projectId, user, other, connection, whole, libraries, add };
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

/** What the kept library says to each person, beside what its rows say. */
async function compare(opened: Opened, of: readonly object[] = views(opened)): Promise<void> {
  const { store, projectId, libraries, user, other } = opened;
  for (const userId of [user.id, other.id]) {
    const listed = async (view: object) =>
      (await listAssets(store, { projectId, userId, trash: false, limit: 200, ...view })).assets;
    for (const view of of) {
      const layout = await libraries.layOut({ projectId, userId, trash: false, ...view }, pageSize);
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

forEachDatabase((_, create) => {
  it("numbers and layouts are those of the rows after each change, for each person", async () => {
    const opened = await open(await create());
    const { commit, add, user, other, connection, projectId, whole } = opened;
    const early = uuid();
    await compare(opened);

    const picture = await add({ width: 3, height: 2 });
    const film = await add({ kind: "video", width: 1920, height: 1080, createdAt: at + hourMs });
    const own = await add({ visibility: "author", createdBy: other.id, uploadId: uuid() });
    await compare(opened);

    // Its id is older than those that are there.
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

    // Sharing a conversation shares what was made in it, and the other way round.
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

  it("a kept layout is that of the rows after each change, wherever in it that is", async () => {
    const opened = await open(await create());
    const { commit, add } = opened;
    // As few as are kept at once.
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

  it("a library is read whole again where the notices of its changes are gone", async () => {
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

  it("a library that could not be read is read by who asks next", async () => {
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
