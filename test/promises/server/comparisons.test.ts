import { v7 as uuid } from "uuid";
import { expect, it } from "vitest";
import type { Asset, Connection, Run } from "#contract/entities.ts";
import type { RouteOutput } from "#contract/schemas/index.ts";
import { builtin } from "#providers/builtin/adapter.ts";
import { insertConversation, insertMessage } from "#store/content/conversations.ts";
import { insertMember } from "#store/people/projects.ts";
import { forEachDatabase, type TestDatabase } from "../../support/databases/databases.ts";
import { buildConversation } from "../../support/databases/store-rows.ts";
import { createInstance, until } from "../../support/server/instance.ts";

type Whole = RouteOutput<"getComparison">;
type Board = RouteOutput<"getLeaderboard">;

/**
 * A project with two people, pictures by one model, upscaled pictures by another, and a recording.
 */
async function open(database: TestDatabase) {
  const instance = await createInstance(database, { endsWithTest: true, adapters: [builtin] });
  const owner = await instance.createPerson("owner@example.org", { role: "owner" });
  const editor = await instance.createPerson("editor@example.org");
  const { projectId } = owner;
  await instance.commit(({ tx }) =>
    insertMember(tx, { projectId, userId: editor.user.id, role: "editor", at: 0 }),
  );
  const { connections } = (await owner.call<{ connections: Connection[] }>("listConnections")).body;
  const connectionId = connections.find(({ kind }) => kind === "builtin")!.id;
  const make = async (modelId: string, task: string, input: object): Promise<Asset> => {
    const { runs } = (
      await owner.call<{ runs: Run[] }>("createRuns", {
        body: { projectId, models: [{ connectionId, modelId }], task, input },
      })
    ).body;
    return until(`a result of ${modelId}`, async () => {
      const { assets } = (
        await owner.call<{ assets: Asset[] }>("listAssets", { query: { projectId } })
      ).body;
      return assets.find(({ runId }) => runId === runs[0]!.id);
    });
  };
  const image_size = { width: 64, height: 64 };
  const [sea, hill] = [
    await make("pattern", "image", { prompt: "sea", image_size }),
    await make("pattern", "image", { prompt: "hill", image_size }),
  ];
  const large = await make("upscale", "upscale", { image: `asset:${sea.id}` });
  const spoken = await make("voice", "speech", { text: "Good evening." });
  const compare = (entries: object[], more: object = {}) =>
    owner.call<{ comparison: { id: string } }>("createComparison", {
      body: { projectId, entries, ...more },
    });
  const started = async (...assets: Asset[]): Promise<string> =>
    (await compare(assets.map(({ id }) => ({ assetId: id })))).body.comparison.id;
  const read = async (comparisonId: string, person = owner): Promise<Whole> =>
    (await person.call<Whole>("getComparison", { params: { comparisonId } })).body;
  const vote = (comparisonId: string, best: number[], person = owner) =>
    person.call("putVote", { params: { comparisonId }, body: { best } });
  const reveal = (comparisonId: string, person = owner) =>
    person.call("revealComparison", { params: { comparisonId } });
  const board = async (query: Record<string, string> = {}, person = owner): Promise<Board> =>
    (await person.call<Board>("getLeaderboard", { query })).body;
  return {
    ...{ instance, owner, editor, projectId, sea, hill, large, spoken },
    ...{ compare, started, read, vote, reveal, board },
  };
}

const zip = (names: readonly string[], values: readonly string[]) =>
  names.map((name, place) => [name, values[place]] as const);

forEachDatabase((_, create) => {
  it("the order is personal, stable, and recorded with the vote", async () => {
    const { started, read, vote, sea, hill, large, editor } = await open(await create());
    const id = await started(sea, hill, large);
    const before = (await read(id)).vote;
    expect(before.best).toBe(null);
    expect(before.shownOrder.toSorted()).toEqual([0, 1, 2]);
    await vote(id, [2, 0]);
    expect((await read(id)).vote).toMatchObject({ shownOrder: before.shownOrder, best: [0, 2] });
    expect((await read(id, editor)).vote.best).toBe(null);
    expect((await read(id)).votes).toBe(1);
  });

  it("repeating the same vote leaves it unchanged, with its time", async () => {
    const { instance, started, read, vote, sea, large } = await open(await create());
    const id = await started(sea, large);
    await vote(id, [1]);
    await instance.store.db.updateTable("vote").set({ at: 5 }).execute();
    await vote(id, [1]);
    expect((await read(id)).vote.at).toBe(5);
    await vote(id, [0]);
    expect((await read(id)).vote.at).toBeGreaterThan(5);
  });

  it("a vote can be changed until the models are revealed, and is final afterwards", async () => {
    const { started, read, vote, reveal, sea, large } = await open(await create());
    const id = await started(sea, large);
    await vote(id, [0]);
    expect((await vote(id, [1])).status).toBe(200);
    await reveal(id);
    expect((await vote(id, [0])).status).toBe(409);
    expect((await read(id)).vote).toMatchObject({ best: [1], revealedBefore: false });
    expect((await vote(id, [2])).status).toBe(422);
  });

  it('counts only blind votes: none after a reveal, no "none", none in the open', async () => {
    const { started, compare, vote, reveal, board, editor, sea, large } = await open(
      await create(),
    );
    const late = await started(sea, large);
    await reveal(late);
    expect((await vote(late, [1])).status).toBe(200);
    const none = await started(sea, large);
    await vote(none, []);
    const shown = await compare([{ assetId: sea.id }, { assetId: large.id }], { blind: false });
    await vote(shown.body.comparison.id, [1]);
    expect(await board()).toEqual({ votes: 0, models: [] });

    const counted = await started(sea, large);
    await vote(counted, [1]);
    await vote(counted, [1], editor);
    const { votes, models } = await board();
    expect(votes).toBe(2);
    expect(models.map(({ modelId, wins, games }) => [modelId, wins, games])).toEqual([
      ["upscale", 2, 2],
      ["pattern", 0, 2],
    ]);
    const [first] = models;
    expect(first!.low).toBeLessThan(first!.score);
    expect(first!.score).toBeGreaterThan(0.5);
    expect(first!.costMicros).toBe(0);
  });

  it("trashed items don't count in leaderboards, and count again when restored", async () => {
    const { started, vote, board, owner, projectId, sea, large } = await open(await create());
    const id = await started(sea, large);
    await vote(id, [1]);
    const trash = (action: string) =>
      owner.call("updateAssets", { body: { projectId, ids: [large.id], action } });
    await trash("trash");
    expect((await board()).models).toEqual([]);
    await trash("restore");
    expect((await board()).models.length).toBe(2);
    const set = (trashed: boolean) =>
      owner.call("updateComparison", { params: { comparisonId: id }, body: { trashed } });
    await set(true);
    expect((await board()).votes).toBe(0);
    const listed = await owner.call<RouteOutput<"listComparisons">>("listComparisons", {
      query: { projectId },
    });
    expect(listed.body.comparisons).toEqual([]);
    await set(false);
    expect((await board()).votes).toBe(1);
  });

  it("filters by project and task, and excludes projects that one isn't in", async () => {
    const { started, vote, board, instance, projectId, sea, hill, large } = await open(
      await create(),
    );
    await vote(await started(sea, large), [1]);
    await vote(await started(sea, hill), [1]);
    expect((await board({ projectId, task: "other" })).votes).toBe(1);
    expect((await board({ task: "image" })).models).toEqual([]);
    const stranger = await instance.createPerson("stranger@example.org");
    expect((await board({}, stranger)).votes).toBe(0);
    expect((await stranger.call("getLeaderboard", { query: { projectId } })).status).toBe(404);
  });

  it("shows the ratings of a model's answers in visible conversations, without changing its rank", async () => {
    const { started, vote, board, instance, owner, editor, projectId, sea, large } = await open(
      await create(),
    );
    await vote(await started(sea, large), [1]);
    const conversation = buildConversation({ projectId, userId: owner.user.id });
    const id = uuid();
    await instance.commit(async (unit) => {
      await insertMessage(unit, await insertConversation(unit, conversation), {
        ...{ id, parentId: null, parts: [], runId: sea.runId, continuesId: null },
        ...{ role: "assistant", state: "complete" },
      });
    });
    const rate = (value: string, person = owner) =>
      person.call("putFeedback", { params: { messageId: id }, body: { value } });
    const share = (visibility: string) =>
      owner.call("updateConversation", {
        params: { conversationId: conversation.id },
        body: { visibility },
      });
    const ratings = async (person = owner, query = {}) =>
      (await board(query, person)).models.map((model) => [model.goodRatings, model.ratings]);
    await rate("up");
    await share("project");
    await rate("down", editor);
    expect(await ratings()).toEqual([
      [0, 0],
      [1, 2],
    ]);
    expect(await ratings(editor)).toEqual(await ratings());
    await share("author");
    expect(await ratings(editor)).toEqual([
      [0, 0],
      [0, 0],
    ]);
    expect(await ratings(owner, { task: "other" })).toEqual(await ratings(editor));
  });

  it("a comparison of a private result, its votes and its rank are visible only to its author", async () => {
    const { started, vote, board, read, instance, editor, projectId, sea, large } = await open(
      await create(),
    );
    await instance.store.db
      .updateTable("asset")
      .set({ visibility: "author" })
      .where("id", "=", large.id)
      .execute();
    const id = await started(sea, large);
    await vote(id, [1]);
    expect((await board()).votes).toBe(1);
    expect(await board({}, editor)).toEqual({ votes: 0, models: [] });
    expect((await editor.call("getComparison", { params: { comparisonId: id } })).status).toBe(404);
    const listed = await editor.call<RouteOutput<"listComparisons">>("listComparisons", {
      query: { projectId },
    });
    expect(listed.body.comparisons).toEqual([]);
    expect((await read(id)).entries.every(({ asset }) => asset !== null)).toBe(true);
  });

  it("refuses what can't be compared with a sentence", async () => {
    const { compare, instance, owner, editor, projectId, sea, hill, spoken } = await open(
      await create(),
    );
    const message = async (entries: object[]): Promise<unknown> =>
      ((await compare(entries)).body as unknown as { detail: string }).detail;
    expect(await message([{ assetId: sea.id }, { assetId: spoken.id }])).toBe(
      "A picture and a sound can’t be compared. Choose results of one kind.",
    );
    expect(await message([{ assetId: sea.id }, { assetId: sea.id }])).toMatch(/twice/);
    expect((await compare([{ assetId: sea.id }])).status).toBe(422);
    expect((await compare(Array.from({ length: 9 }, () => ({ assetId: sea.id })))).status).toBe(
      422,
    );
    await owner.call("updateAssets", { body: { projectId, ids: [hill.id], action: "trash" } });
    expect(await message([{ assetId: sea.id }, { assetId: hill.id }])).toMatch(/in the trash/);
    const elsewhere = await instance.createPerson("elsewhere@example.org");
    const foreign = await elsewhere.call("createComparison", {
      body: {
        projectId: elsewhere.projectId,
        entries: [{ assetId: sea.id }, { assetId: spoken.id }],
      },
    });
    expect(foreign.status).toBe(404);
    expect((await editor.call("getComparison", { params: { comparisonId: sea.id } })).status).toBe(
      404,
    );
  });

  it("results can be added until somebody has voted", async () => {
    const { started, vote, read, owner, sea, hill, large } = await open(await create());
    const id = await started(sea, large);
    const add = (asset: Asset) =>
      owner.call("updateComparison", {
        params: { comparisonId: id },
        body: { add: [{ assetId: asset.id }] },
      });
    expect((await add(hill)).status).toBe(200);
    expect((await read(id)).entries.map(({ asset }) => asset?.id)).toEqual([
      sea.id,
      large.id,
      hill.id,
    ]);
    expect((await add(hill)).status).toBe(422);
    await vote(id, [1]);
    const more = await started(sea, large);
    await vote(more, [0]);
    expect(
      (
        await owner.call("updateComparison", {
          params: { comparisonId: more },
          body: { add: [{ assetId: hill.id }] },
        })
      ).status,
    ).toBe(409);
  });

  it("the downloaded table has the board's numbers, no price for an unknown one, and no formula", async () => {
    const { started, vote, board, instance, owner, sea, large } = await open(await create());
    await vote(await started(sea, large), [1]);
    const { db } = instance.store;
    const name = "=HYPERLINK(0)";
    await db.updateTable("model").set({ name }).where("model_id", "=", "upscale").execute();
    await db.updateTable("run").set({ cost_micros: null }).where("id", "=", sea.runId).execute();
    const [first, second] = (await board()).models;
    expect([first!.name, second!.costMicros]).toEqual([name, null]);
    const { cookie } = owner;
    const file = await instance.request("/api/v1/leaderboard.csv", {
      headers: { host: "127.0.0.1", cookie },
    });
    const [head = "", ...rows] = (await file.text()).trimEnd().split("\r\n");
    const cells = rows.map((row) => Object.fromEntries(zip(head.split(","), row.split(","))));
    expect(cells[0]).toMatchObject({
      rank: "1",
      model: `'${name}`,
      model_id: "upscale",
      score: first!.score.toFixed(6),
      low_95: first!.low.toFixed(6),
      high_95: first!.high.toFixed(6),
      games: "1",
      wins: "1",
      cost_micros: "0",
    });
    expect(cells[1]).toMatchObject({ rank: "2", model_id: "pattern", wins: "0", cost_micros: "" });
  });

  it("a result that becomes private later takes its name and IDs with it", async () => {
    const { started, compare, read, vote, board, instance, owner, editor, ...made } = await open(
      await create(),
    );
    const { projectId, sea, hill, large } = made;
    // Not compared with its upscaled version, which has the same prompt and stays.
    const id = await started(sea, hill);
    expect((await read(id, editor)).comparison.title).toBe("sea");
    await vote(id, [0], editor);
    expect((await board({}, editor)).votes).toBe(1);
    const { db } = instance.store;
    await db.updateTable("run").set({ visibility: "author" }).where("id", "=", sea.runId).execute();
    const nothing = { runId: null, outputIndex: null, messageId: null, run: null, asset: null };
    const seen = await read(id, editor);
    expect(seen.comparison.title).not.toBe("sea");
    expect(seen.entries[0]).toMatchObject(nothing);
    expect(JSON.stringify(seen)).not.toContain(sea.runId);
    const listed = await editor.call("listComparisons", { query: { projectId } });
    expect(JSON.stringify(listed.body)).not.toContain('"sea"');
    expect((await read(id)).comparison.title).toBe("sea");
    // Its best result is no longer visible, so the vote doesn't count.
    expect((await board({}, editor)).votes).toBe(0);
    expect((await board()).votes).toBe(1);
    const named = await compare([{ assetId: hill.id }, { assetId: large.id }], { title: "Mine" });
    expect((await read(named.body.comparison.id, editor)).comparison.title).toBe("Mine");
  });

  it("a search finds a comparison by its title and by its results' prompts, newest first", async () => {
    const { started, compare, instance, owner, projectId, ...made } = await open(await create());
    const { sea, hill, large, spoken } = made;
    const { db } = instance.store;
    const search = async (q: string) => {
      const query = { projectId, q };
      const { body } = await owner.call<RouteOutput<"search">>("search", { query });
      return body.comparisons.map(({ id, title }) => [id, title]);
    };
    const prompt = "Le château près du lac";
    await db.updateTable("asset").set({ prompt_text: prompt }).where("id", "=", hill.id).execute();
    const untitled = await started(hill, large);
    const entries = [{ assetId: sea.id }, { assetId: hill.id }];
    const named = (await compare(entries, { title: "Lisbon" })).body.comparison.id;
    expect(await search("chateau LAC")).toEqual([
      [named, "Lisbon"],
      [untitled, prompt],
    ]);
    expect(await search("lisbon châ")).toEqual([[named, "Lisbon"]]);
    expect(await search("teau")).toEqual([]);
    // A model's name would tell which one a blind comparison has.
    expect(await search("pattern")).toEqual([]);

    await owner.call("updateAssets", { body: { projectId, ids: [hill.id], action: "trash" } });
    expect(await search("chateau")).toEqual([]);
    expect(await search("sea")).toEqual([
      [named, "Lisbon"],
      [untitled, "sea"],
    ]);

    // An answer is found by its conversation's title, and a text by its run's prompt.
    const conversation = buildConversation({
      ...{ projectId, userId: owner.user.id },
      title: "Tides of Porto",
    });
    const messageId = uuid();
    await instance.commit(async (unit) => {
      await insertMessage(unit, await insertConversation(unit, conversation), {
        ...{ id: messageId, parentId: null, parts: [], runId: sea.runId, continuesId: null },
        ...{ role: "assistant", state: "complete" },
      });
    });
    await db.updateTable("asset").set({ run_id: null }).where("id", "=", spoken.id).execute();
    await db
      .updateTable("run")
      .set({ result: JSON.stringify({ text: "Boa noite." }) })
      .where("id", "=", spoken.runId)
      .execute();
    const texts = await compare([{ messageId }, { runId: spoken.runId }]);
    expect(texts.status).toBe(200);
    const { id } = texts.body.comparison;
    expect(await search("porto")).toEqual([[id, "Tides of Porto"]]);
    expect(await search("good evening")).toEqual([[id, "Tides of Porto"]]);
    await owner.call("removeConversation", { params: { conversationId: conversation.id } });
    expect(await search("porto")).toEqual([]);
  });

  it("a search doesn't find a comparison by a result that became private to somebody else", async () => {
    const { started, instance, owner, editor, projectId, sea, hill } = await open(await create());
    const id = await started(sea, hill);
    const search = async (q: string, person = owner) => {
      const query = { projectId, q };
      const { body } = await person.call<RouteOutput<"search">>("search", { query });
      return body.comparisons.map((found) => [found.id, found.title]);
    };
    expect(await search("sea", editor)).toEqual([[id, "sea"]]);
    const { db } = instance.store;
    for (const [table, of] of [
      ["asset", sea.id],
      ["run", hill.runId],
    ] as const)
      await db.updateTable(table).set({ visibility: "author" }).where("id", "=", of).execute();
    for (const q of ["sea", "hill"]) {
      expect(await search(q, editor)).toEqual([]);
      expect(await search(q)).toEqual([[id, "sea"]]);
    }
  });

  it("two results of one run are extended, without duplicates, and a missing one stops nothing", async () => {
    const { started, read, instance, owner, projectId, sea, hill, large } = await open(
      await create(),
    );
    // The other picture becomes the second output of the first one's run.
    await instance.store.db
      .updateTable("asset")
      .set({ run_id: sea.runId, output_index: 1 })
      .where("id", "=", hill.id)
      .execute();
    const id = await started(hill, sea);
    const add = (...entries: object[]) =>
      owner.call("updateComparison", { params: { comparisonId: id }, body: { add: entries } });
    expect((await add({ assetId: hill.id })).status).toBe(422);
    await owner.call("updateAssets", { body: { projectId, ids: [sea.id], action: "trash" } });
    expect((await add({ assetId: large.id }, { assetId: large.id })).status).toBe(422);
    expect((await add({ assetId: large.id })).status).toBe(200);
    const { entries, comparison } = await read(id);
    expect(entries.map(({ asset }) => asset?.id)).toEqual([hill.id, undefined, large.id]);
    expect(comparison.task).toBe("other");
  });

  it("a run in progress shows its text once it has ended", async () => {
    const { compare, read, instance, sea, hill } = await open(await create());
    const { db } = instance.store;
    const change = (set: object) =>
      db.updateTable("run").set(set).where("id", "=", sea.runId).execute();
    await db.updateTable("asset").set({ run_id: null }).where("id", "=", sea.id).execute();
    await change({ task: "transcription", state: "running", result: null });
    const entries = [{ runId: sea.runId }, { assetId: hill.id }];
    const { id } = (await compare(entries)).body.comparison;
    expect((await read(id)).entries[0]).toMatchObject({ run: { state: "running" }, text: null });
    await change({ state: "succeeded", result: JSON.stringify({ text: "Good evening." }) });
    expect((await read(id)).entries[0]).toMatchObject({ asset: null, text: "Good evening." });
  });

  it("nothing is added after somebody reveals the models, and a change leaves the rest unchanged", async () => {
    const { started, read, reveal, vote, owner, editor, sea, hill, large } = await open(
      await create(),
    );
    const id = await started(sea, large);
    await reveal(id, editor);
    const change = (body: object) =>
      owner.call<{ detail: string }>("updateComparison", { params: { comparisonId: id }, body });
    const refused = await change({ add: [{ assetId: hill.id }] });
    expect(refused.status).toBe(409);
    expect(refused.body.detail).toMatch(/revealed the models/);
    await Promise.all([change({ title: "Seas" }), change({ trashed: true })]);
    expect((await read(id)).comparison).toMatchObject({
      title: "Seas",
      trashedAt: expect.any(Number),
    });
    await Promise.all([vote(id, [1]), reveal(id)]);
    expect((await read(id)).vote).toMatchObject({ best: [1], revealedAt: expect.any(Number) });
  });

  it("two simultaneous additions each keep their own places", async () => {
    const { started, read, owner, sea, hill, large } = await open(await create());
    const id = await started(sea, large);
    const add = () =>
      owner.call("updateComparison", {
        params: { comparisonId: id },
        body: { add: [{ assetId: hill.id }] },
      });
    const answers = await Promise.all([add(), add()]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 422]);
    expect((await read(id)).entries.length).toBe(3);
  });
});
