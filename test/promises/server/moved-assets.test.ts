import { v7 as uuid } from "uuid";
import { expect, it } from "vitest";
import type { Asset, Visibility } from "#contract/entities.ts";
import { limits } from "#contract/limits.ts";
import type { RouteOutput } from "#contract/schemas/index.ts";
import { sentences } from "#contract/sentences/index.ts";
import { insertAsset, insertRunInputs, updateAssets } from "#store/content/assets.ts";
import {
  insertConversation,
  insertMessage,
  updateConversation,
} from "#store/content/conversations.ts";
import { moveAssets } from "#store/content/moved-rows.ts";
import { insertConnection } from "#store/models/connections.ts";
import { insertMember } from "#store/people/projects.ts";
import { insertRun, type NewRun } from "#store/runs/runs.ts";
import { forEachDatabase, type TestDatabase } from "../../support/databases/databases.ts";
import {
  buildAsset,
  buildConnection,
  buildConversation,
  buildRun,
} from "../../support/databases/store-rows.ts";
import { readZip } from "../../support/read-zip.ts";
import { type Caller, createInstance } from "../../support/server/instance.ts";
import { exportProject } from "../../support/studio/project-archives.ts";

type Outcome = RouteOutput<"updateAssets"> & { detail: string };
type Detail = RouteOutput<"getAsset">;

/** Ada's two projects: Ben edits only in the harbor, Cleo only in the yard. */
async function open(database: TestDatabase) {
  const instance = await createInstance(database, { endsWithTest: true, start: false });
  const { commit, store } = instance;
  const ada = await instance.createPerson("ada@example.org", { role: "owner" });
  const ben = await instance.createPerson("ben@example.org");
  const cleo = await instance.createPerson("cleo@example.org");
  const harbor = ada.projectId;
  const made = await ada.call<RouteOutput<"createProject">>("createProject", {
    body: { name: "Yard" },
  });
  const yard = made.body.project.id;
  const connection = buildConnection();
  const join = (projectId: string, { user }: Caller, role: "editor" | "viewer" = "editor") =>
    commit(({ tx, at }) => insertMember(tx, { projectId, userId: user.id, role, at }));
  await join(harbor, ben);
  await join(yard, cleo);
  await commit(({ tx }) => insertConnection(tx, connection));

  const add = (count: number, facts: Partial<Asset> = {}): Promise<string[]> =>
    commit(async (unit) => {
      const ids = Array.from({ length: count }, () => uuid());
      for (const id of ids)
        await insertAsset(
          unit,
          buildAsset({
            projectId: harbor,
            createdBy: ada.user.id,
            sha256: `hash of ${id}`,
            ...facts,
            id,
          }),
        );
      return ids.sort();
    });
  /** A run of Ada's in the harbor that cost ten cents, with its result. */
  const make = async (facts: Partial<NewRun> = {}, result: Partial<Asset> = {}) => {
    const run = buildRun({
      projectId: harbor,
      userId: ada.user.id,
      connectionId: connection.id,
      modelId: "brush",
      input: { prompt: "a secret recipe" },
      ...facts,
    });
    await commit(async (unit) => {
      await insertRun(unit, run);
      await unit.tx
        .updateTable("run")
        .set({ cost_micros: 100_000, state: "succeeded", finished_at: unit.at })
        .where("id", "=", run.id)
        .execute();
    });
    const [assetId] = await add(1, {
      runId: run.id,
      outputIndex: 0,
      visibility: run.visibility,
      promptText: "a heron",
      ...result,
    });
    return { runId: run.id, assetId: assetId! };
  };
  const act = (who: Pick<Caller, "call">, body: object) =>
    who.call<Outcome>("updateAssets", { body: { projectId: harbor, ...body } });
  const move = async (who: Pick<Caller, "call">, ids: readonly string[], toProjectId = yard) =>
    (await act(who, { ids, action: "move", toProjectId })).body;
  const undo = async (who: Caller, acts: Outcome["undo"]) => {
    for (const one of acts) expect((await act(who, one)).status).toBe(200);
  };
  const list = async (who: Caller, projectId: string, query: object = {}) =>
    (
      await who.call<RouteOutput<"listAssets">>("listAssets", { query: { projectId, ...query } })
    ).body.assets
      .map(({ id }) => id)
      .sort();
  const detailOf = async (who: Caller, assetId: string) => {
    const { status, body } = await who.call<Detail>("getAsset", { params: { assetId } });
    return status === 200 ? body : status;
  };
  const tagsIn = async (who: Caller, projectId: string) =>
    (await who.call<RouteOutput<"listTags">>("listTags", { query: { projectId } })).body.tags.map(
      ({ name, count }) => `${name} ${count}`,
    );
  return {
    ...{ instance, store, commit, ada, ben, cleo, harbor, yard, join },
    ...{ add, make, act, move, undo, list, detailOf, tagsIn },
  };
}

forEachDatabase((_, create) => {
  it("files move with their tags, marks and words, both projects' lists are updated, and undo restores everything", async () => {
    const { ada, ben, cleo, harbor, yard, add, act, move, undo, list, detailOf, tagsIn } =
      await open(await create());
    const ids = await add(230, { title: "lighthouse" });
    const some = ids.slice(0, 220);
    // Newer than all that are moved, which are inserted before it.
    const [there] = await add(1, { projectId: yard, title: "crane", bytes: 500 });
    await act(ada, { ids: some.slice(0, 3), action: "tag", tags: ["Sea", "cover"] });
    await act(ada, { ids: [ids[0]], action: "rate", rating: 4 });
    const made = await ada.call<RouteOutput<"createCollection">>("createCollection", {
      body: { projectId: harbor, name: "Faro" },
    });
    const collectionId = made.body.collection.id;
    const inOrder = [ids[2]!, ids[225]!, ids[0]!];
    await act(ada, { ids: inOrder, action: "collect", collectionId });
    await ada.call("updateCollection", {
      params: { collectionId },
      body: { coverAssetId: ids[0] },
    });
    const stateOf = async (projectId: string, who: Caller) => ({
      counts: (await who.call("countAssets", { query: { projectId } })).body,
      all: await list(who, projectId, { limit: "200" }),
      bySize: await list(who, projectId, { limit: "200", sort: "bytes" }),
      found: (await list(who, projectId, { q: "lighthouse", limit: "200" })).length,
      rated: await list(who, projectId, { rating: "4.." }),
      tags: await tagsIn(who, projectId),
    });
    const collected = async () => {
      const query = { projectId: harbor, collectionId, sort: "position" };
      const { body } = await ada.call<RouteOutput<"listAssets">>("listAssets", { query });
      const one = await ada.call<RouteOutput<"getCollection">>("getCollection", {
        params: { collectionId },
      });
      return [body.assets.map(({ id }) => id), one.body.collection.cover?.id];
    };
    const before = [await stateOf(harbor, ben), await stateOf(yard, cleo), await collected()];
    const { all, ...facts } = before[1] as Awaited<ReturnType<typeof stateOf>>;
    expect([all, facts.tags]).toEqual([[there], []]);

    const done = await move(ada, some);
    expect([done.changed, done.left]).toEqual([220, []]);
    expect(await stateOf(harbor, ben)).toMatchObject({
      counts: { all: 10 },
      all: ids.slice(220),
      found: 10,
      rated: [],
    });
    const now = await stateOf(yard, cleo);
    expect(now).toMatchObject({ counts: { all: 221 }, rated: [ids[0]] });
    expect(now.tags.sort()).toEqual(["Sea 3", "cover 3"]);
    expect(await list(cleo, yard, { q: "lighthouse sea" })).toEqual(ids.slice(0, 3));
    expect(await list(cleo, yard, { sort: "bytes", limit: "1" })).toEqual([there]);
    expect(await collected()).toEqual([[ids[225]], ids[225]]);
    expect(await detailOf(ben, ids[0]!)).toBe(404);
    expect(await detailOf(cleo, ids[0]!)).toMatchObject({ asset: { projectId: yard } });
    expect((await move(ada, some)).left).toEqual([{ reason: "already", count: 220 }]);

    await undo(ada, done.undo);
    const after = [await stateOf(harbor, ben), await stateOf(yard, cleo), await collected()];
    // A tag that the move created in the yard remains; without assets, only its author sees it.
    expect(after).toEqual(before);
    expect((await tagsIn(ada, yard)).sort()).toEqual(["Sea 0", "cover 0"]);
  });

  it("all matches of a filter move, and only people who may edit both projects can move them", async () => {
    const { instance, ada, ben, cleo, yard, harbor, join, add, act, list, commit } = await open(
      await create(),
    );
    const films = await add(3, { kind: "video" });
    await add(2);
    const asked = { filter: { kind: "video" }, action: "move", toProjectId: yard };
    expect((await act(ben, asked)).status).toBe(404);
    expect((await act(cleo, asked)).status).toBe(404);
    await join(yard, ben, "viewer");
    expect((await act(ben, asked)).status).toBe(403);
    const key = await instance.createKey(ada);
    expect((await act(key, asked)).status).toBe(403);
    for (const body of [
      { ids: films, action: "move" },
      { ids: films, action: "move", toProjectId: harbor },
      { ids: films, action: "keep", toProjectId: yard },
    ])
      expect((await act(ada, body)).status, JSON.stringify(body)).toBe(422);
    expect(await list(cleo, yard)).toEqual([]);
    expect((await act(ada, asked)).body.changed).toBe(3);
    expect(await list(cleo, yard)).toEqual(films);

    // The right is checked again in each unit, here in one that started while Ben could still edit.
    const [one] = await add(1);
    const actor = { userId: ben.user.id, role: "member", status: "active" } as const;
    const slice = () =>
      commit((unit) =>
        moveAssets(unit, { store: instance.store, ids: uuid }, { actor, from: harbor, to: yard }, [
          one!,
        ]),
      );
    expect((await slice()).left).toEqual(new Map([["mayNotMove", 1]]));
    await ada.call("updateMember", {
      params: { projectId: yard, userId: ben.user.id },
      body: { role: "editor" },
    });
    expect((await slice()).changed).toBe(1);
  });

  it("files that stay are named: trashed, in a temporary chat, over the limit, or missing", async () => {
    const { ada, ben, harbor, yard, commit, store, add, make, act, move } = await open(
      await create(),
    );
    const [trashed, large, tagged, own] = (await add(4)) as [string, string, string, string];
    await commit((unit) => updateAssets(unit, [trashed], { trashedAt: unit.at }));
    const messageId = uuid();
    const { assetId: ofChat } = await make({ messageId, visibility: "author" });
    await commit(async (unit) => {
      const conversation = await insertConversation(
        unit,
        buildConversation({ projectId: harbor, userId: ada.user.id }),
      );
      await unit.tx
        .updateTable("conversation")
        .set({ temporary: 1 })
        .where("id", "=", conversation.id)
        .execute();
      await insertMessage(unit, conversation, {
        id: messageId,
        parentId: null,
        role: "assistant",
        state: "complete",
        parts: [],
        runId: null,
        continuesId: null,
      });
    });
    await store.write(async (tx) => {
      await tx.updateTable("asset").set({ bytes: 9_000 }).where("id", "=", large).execute();
      await tx.updateTable("asset").set({ visibility: "author" }).where("id", "=", own).execute();
      const { n } = await tx
        .selectFrom("tag")
        .select((e) => e.fn.countAll<number>().as("n"))
        .where("project_id", "=", yard)
        .executeTakeFirstOrThrow();
      for (let i = Number(n); i < limits.tagsPerProject; i += 100)
        await tx
          .insertInto("tag")
          .values(
            Array.from({ length: 100 }, (_, k) => ({
              ...{ id: uuid(), project_id: yard, name: `t${i + k}`, folded: `t${i + k}` },
              ...{ search: `t${i + k}`, created_by: ada.user.id, created_at: 0 },
            })),
          )
          .execute();
    });
    await ada.call("updateStorageLimits", { body: { projectBytes: 1_000 } });
    await act(ada, { ids: [tagged], action: "tag", tags: ["sea"] });
    const gone = uuid();
    const done = await move(ada, [trashed, large, tagged, ofChat, gone]);
    expect(done).toMatchObject({ changed: 0, undo: [] });
    expect(new Map(done.left.map(({ reason, count }) => [reason, count]))).toEqual(
      new Map(
        ["inTrash", "storageFull", "tagsFull", "ofTemporaryChat", "gone"].map((one) => [one, 1]),
      ),
    );
    // Another person's own asset doesn't exist for the person who moves.
    await commit(({ tx, at }) =>
      insertMember(tx, { projectId: yard, userId: ben.user.id, role: "editor", at }),
    );
    expect((await move(ben, [own])).left).toEqual([{ reason: "gone", count: 1 }]);
    await ada.call("updateStorageLimits", { body: { projectBytes: null } });
    expect((await move(ada, [large, own])).changed).toBe(2);
  });

  it("the run, its prompt and its cost stay with the project that paid, and only its readers see them", async () => {
    const { ada, ben, cleo, harbor, yard, commit, make, act, move, undo, list, detailOf } =
      await open(await create());
    const { runId, assetId } = await make({}, { promptText: "a heron" });
    const input = await make();
    await commit(({ tx }) =>
      insertRunInputs(tx, runId, [{ assetId: input.assetId, role: "image" }]),
    );
    await act(ada, { ids: [assetId], action: "keep" });
    const today = new Date().toISOString().slice(0, 10);
    const keepers = async (projectId: string) => {
      const query = { projectId, from: today, to: today };
      const { body } = await ada.call<RouteOutput<"getKeepers">>("getKeepers", { query });
      return [body.total, body.prompts];
    };
    const usage = async (projectId: string) =>
      (await ada.call("getUsage", { query: { projectId } })).body;
    const before = [await keepers(harbor), await keepers(yard), await usage(harbor)];
    expect(before[0]).toMatchObject([{ kept: 1, micros: 200_000 }, [{ prompt: "a heron" }]]);
    expect(await list(ada, yard, { costMicros: "1.." })).toEqual([]);
    expect(await list(ben, harbor, { used: "true" })).toEqual([input.assetId]);

    const done = await move(ada, [assetId, input.assetId]);
    expect([await keepers(harbor), await keepers(yard), await usage(harbor)]).toEqual(before);
    const seen = (await detailOf(cleo, assetId)) as Detail;
    expect(seen).toMatchObject({ run: null, sources: [], asset: { promptText: "a heron" } });
    expect(JSON.stringify(seen)).not.toContain("secret recipe");
    expect(await detailOf(cleo, input.assetId)).toMatchObject({ madeFrom: [] });
    expect(await detailOf(ada, assetId)).toMatchObject({ run: { id: runId, projectId: harbor } });
    // Nothing reveals the cost, the state or the use of a run elsewhere.
    for (const query of [{ costMicros: "0.." }, { state: "succeeded" }, { used: "true" }])
      expect(await list(cleo, yard, query), JSON.stringify(query)).toEqual([]);
    expect(await list(cleo, yard, { task: "image" })).toEqual([assetId, input.assetId].sort());
    // Comparisons are of runs, and this run isn't in the yard.
    const here = await make({ projectId: yard }, { projectId: yard });
    const compare = (projectId: string) =>
      ada.call("createComparison", {
        body: { projectId, entries: [{ assetId: here.assetId }, { assetId }] },
      });
    expect(await compare(yard)).toMatchObject({
      status: 422,
      body: { code: "invalid_input", detail: sentences.comparisons.madeElsewhere },
    });
    // Members of the harbor still see the run, without the file.
    const run = await ben.call<RouteOutput<"getRun">>("getRun", { params: { runId } });
    expect(run.body).toMatchObject({ run: { costMicros: 100_000 }, assets: [], inputs: [] });
    const runs = await ben.call<RouteOutput<"listRuns">>("listRuns", {
      query: { projectId: harbor, state: "all" },
    });
    expect(runs.body.assets).toEqual([]);

    await undo(ada, done.undo);
    expect(await detailOf(ben, assetId)).toMatchObject({
      run: { id: runId },
      sources: [{ id: input.assetId }],
    });
    expect(await list(ben, harbor, { costMicros: "1.." })).toEqual([assetId, input.assetId].sort());
    expect(await list(ben, harbor, { used: "true" })).toEqual([input.assetId]);
  });

  it("a private file stays its author's, and sharing its conversation shows it in no other project", async () => {
    const { ada, ben, cleo, harbor, yard, commit, make, act, move, list, detailOf, tagsIn } =
      await open(await create());
    const messageId = uuid();
    const { runId, assetId } = await make({ messageId, visibility: "author" });
    const conversation = await commit(async (unit) => {
      const made = await insertConversation(
        unit,
        buildConversation({ projectId: harbor, userId: ada.user.id }),
      );
      await insertMessage(unit, made, {
        id: messageId,
        parentId: null,
        role: "assistant",
        state: "complete",
        parts: [],
        runId,
        continuesId: null,
      });
      return made;
    });
    const share = (visibility: Visibility) =>
      commit((unit) => updateConversation(unit, conversation.id, { visibility }));
    await act(ada, { ids: [assetId], action: "tag", tags: ["hush"] });
    await move(ada, [assetId]);
    expect([await list(ada, yard), await list(cleo, yard), await tagsIn(cleo, yard)]).toEqual([
      [assetId],
      [],
      [],
    ]);
    await share("project");
    expect([await detailOf(cleo, assetId), await list(cleo, yard)]).toEqual([404, []]);
    // Moved back, it is as visible as its run is now.
    const home = async () =>
      (await act(ada, { projectId: yard, ids: [assetId], action: "move", toProjectId: harbor }))
        .body;
    await home();
    expect(await list(ben, harbor)).toEqual([assetId]);
    await move(ada, [assetId]);
    expect(await list(cleo, yard)).toEqual([assetId]);
    await share("author");
    expect([await detailOf(cleo, assetId), await list(cleo, yard)]).toEqual([404, []]);
    await home();
    expect([await list(ben, harbor), await list(ada, harbor)]).toEqual([[], [assetId]]);
  });

  it("an export has moved-in files as its own, and nothing of moved-out ones", async () => {
    const { instance, ada, harbor, yard, make, move } = await open(await create());
    const { assetId } = await make();
    await make();
    await move(ada, [assetId]);
    const owner = { ...ada, url: await instance.listen() };
    const rowsOf = async (projectId: string) => {
      const files = await readZip(await exportProject(owner, projectId));
      const name = [...files.keys()].find((one) => one.startsWith("assets"))!;
      return files
        .get(name)!
        .toString()
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as { id: string; runId: string | null });
    };
    expect(await rowsOf(yard)).toMatchObject([{ id: assetId, runId: null, outputIndex: null }]);
    expect((await rowsOf(harbor)).map(({ id }) => id)).not.toContain(assetId);
  });
});
