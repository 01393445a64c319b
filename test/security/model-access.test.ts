import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import type { Model, ModelRef, ModelUsers } from "#contract/entities.ts";
import type { RouteName } from "#contract/routes/index.ts";
import { checkConnection } from "#engine/connections/catalogue.ts";
import { connect } from "#engine/connections/connect.ts";
import { insertMember } from "#store/people/projects.ts";
import { openCanvas } from "../support/browser/canvas.ts";
import { forEachDatabase } from "../support/databases/databases.ts";
import type { Answer, Caller, KeyCaller } from "../support/server/instance.ts";
import { createStudio, type Studio } from "../support/studio/studio.ts";

type Asks = Pick<Caller, "call">;
const everyone: ModelUsers = { who: "everyone" };
const admins: ModelUsers = { who: "admins" };

forEachDatabase((_, create) => {
  let studio: Studio;
  let url: string;
  let admin: Caller;
  let member: Caller;
  let key: KeyCaller;
  beforeAll(async () => {
    studio = await createStudio(await create());
    url = await studio.instance.listen();
    admin = studio.person;
    member = await studio.instance.createPerson("eve@example.org");
    key = await studio.instance.createKey(member);
    await studio.instance.engine.changeConnection(studio.models.fal.connectionId, {
      values: { realtimeModels: "sim/lcm" },
    });
    await checkConnection(studio.instance.engineDeps, studio.models.fal.connectionId);
  });
  afterAll(() => studio.close());
  beforeEach(async () => {
    await studio.instance.store.db.deleteFrom("model_access").execute();
    expect(
      (await admin.call("updateAccess", { body: { modelsFor: "everyone", membersConnect: true } }))
        .status,
    ).toBe(200);
  });

  const say = async (of: unknown, users: ModelUsers | null): Promise<Answer> => {
    const answer = await admin.call("setModelAccess", { body: { of, users } });
    expect(answer.body).not.toHaveProperty("code");
    return answer;
  };
  const list = async (
    who: Asks,
    projectId: string,
    query: Record<string, string> = {},
  ): Promise<string[]> =>
    (
      await who.call<{ models: Model[] }>("listModels", {
        query: { projectId, limit: "200", ...query },
      })
    ).body.models.map(({ modelId }) => modelId);
  const named = async (who: Asks): Promise<string[]> =>
    (await who.call<{ data: { model_id: string }[] }>("listOpenAiModels")).body.data.map(
      ({ model_id }) => model_id,
    );
  const slugOf = async (id: string): Promise<string> =>
    (
      await studio.instance.store.db
        .selectFrom("connection")
        .select("slug")
        .where("id", "=", id)
        .executeTakeFirstOrThrow()
    ).slug;
  const chat = () => studio.models.openai;

  async function converse(who: Caller) {
    const made = await who.call<{ conversation: { id: string } }>("createConversation", {
      body: { projectId: who.projectId },
    });
    const { id } = made.body.conversation;
    return (model: object) =>
      who.call<{ code?: string; message: { id: string }; run: { id: string } }>("sendMessage", {
        params: { conversationId: id },
        body: { parentId: null, text: "What is a run?", ask: { model, settings: {} } },
      });
  }

  /**
   * Requests a closed model and a missing one with a name of equal length; the answers are
   * identical.
   * @param told the expected answer of both
   */
  async function onlyAbsent(
    ask: (model: ModelRef) => Promise<Answer<object>>,
    closed: ModelRef,
    told: object = { status: 410, body: { code: "model_gone" } },
  ): Promise<void> {
    const absent = { ...closed, modelId: closed.modelId.replace(/.$/, "0") };
    const [ofClosed, ofAbsent] = [await ask(closed), await ask(absent)];
    expect(ofAbsent).toMatchObject(told);
    const words = ({ status, body }: Answer<object>, { modelId }: ModelRef): object => ({
      status,
      words: JSON.stringify({ ...body, requestId: "" }).replaceAll(modelId, "it"),
    });
    expect(words(ofClosed, closed)).toEqual(words(ofAbsent, absent));
  }

  it("a closed model is in no member's list, and every API answers as if it didn't exist", async () => {
    const { connectionId, modelId } = chat();
    const image = studio.models.openaiImage;
    expect(await list(member, member.projectId)).toEqual(
      expect.arrayContaining([modelId, image.modelId]),
    );
    const posts = studio.openai.posts.length;
    await say({ models: [chat(), image, { ...studio.models.fal, modelId: "sim/lcm" }] }, admins);

    for (const query of [
      {},
      { search: "sim" },
      { task: "chat" },
      { order: "newest" },
      { connectionId },
    ] as Record<string, string>[]) {
      expect(await list(member, member.projectId, query)).not.toContain(modelId);
      expect(await list(key, member.projectId, query)).not.toContain(modelId);
    }
    expect(await named(key)).not.toContain(modelId);
    const opened = {
      params: { connectionId },
      query: { projectId: member.projectId, model: modelId },
    };
    expect((await member.call("getModel", opened)).status).toBe(404);
    const counts = async (who: Caller) =>
      (
        await who.call<{ connections: { id: string; models: number }[] }>("listConnections")
      ).body.connections.find(({ id }) => id === connectionId)!.models;
    expect(await counts(member)).toBe((await counts(admin)) - 2);

    await onlyAbsent(await converse(member), chat());
    const runs = (model: object) => ({
      body: {
        projectId: member.projectId,
        models: [model],
        task: "image",
        input: { prompt: "a quay" },
      },
    });
    await onlyAbsent((model) => member.call("createRuns", runs(model)), image);
    await onlyAbsent((model) => key.call("createRuns", runs(model)), image);
    const params = { projectId: member.projectId };
    const estimate = (model: object) =>
      member.call("estimateAnswer", { params, body: { model, characters: 5, bytes: 5 } });
    await onlyAbsent(estimate, chat());
    const star = ({ modelId }: ModelRef) =>
      member.call("starModel", { params: { connectionId }, body: { modelId } });
    await onlyAbsent(star, chat(), { status: 404, body: { code: "not_found" } });
    const unstar = ({ modelId }: ModelRef) =>
      member.call("unstarModel", { params: { connectionId }, query: { model: modelId } });
    await onlyAbsent(unstar, chat(), { status: 200 });

    const slug = await slugOf(connectionId);
    const unknown = {
      status: 404,
      body: { error: { type: "invalid_request_error", code: "model_not_found", param: "model" } },
    };
    const messages = [{ role: "user", content: "x" }];
    const door =
      (route: RouteName, body: object) =>
      ({ modelId }: ModelRef) =>
        key.call(route, { body: { model: `${slug}/${modelId}`, ...body } });
    await onlyAbsent(door("createChatCompletion", { messages }), chat(), unknown);
    await onlyAbsent(door("createResponse", { input: "x" }), chat(), unknown);
    await onlyAbsent(door("createImages", { prompt: "x" }), image, unknown);
    await onlyAbsent(
      ({ modelId }) => key.call("getOpenAiModel", { params: { model: `${slug}/${modelId}` } }),
      chat(),
      unknown,
    );

    await onlyAbsent(
      async (model) => {
        const canvas = await openCanvas(url, member.cookie);
        canvas.say({
          start: { projectId: member.projectId, model, settings: { prompt: "a boat" } },
        });
        const { failed } = await canvas.heard("failed");
        canvas.ws.terminate();
        return { status: 0, body: failed.problem, headers: new Headers() };
      },
      { ...studio.models.fal, modelId: "sim/lcm" },
      { body: { code: "model_gone" } },
    );
    expect(studio.openai.posts.length).toBe(posts);
    expect(await list(admin, admin.projectId)).toEqual(
      expect.arrayContaining([modelId, image.modelId]),
    );
  });

  it("the most specific rule wins: the model's, then its connection's, then the instance's", async () => {
    const { connectionId, modelId } = chat();
    const other = studio.models.openaiImage.modelId;
    await admin.call("updateAccess", { body: { modelsFor: "admins" } });
    expect(await list(member, member.projectId)).toEqual([]);
    await say({ connectionId }, everyone);
    expect(await list(member, member.projectId)).toEqual(expect.arrayContaining([modelId, other]));
    expect(await list(member, member.projectId)).not.toContain(studio.models.fal.modelId);
    await say({ models: [chat()] }, admins);
    expect(await list(member, member.projectId)).not.toContain(modelId);
    expect(await list(member, member.projectId)).toContain(other);
    await say({ connectionId }, admins);
    await say({ models: [chat()] }, everyone);
    expect(await list(member, member.projectId)).toEqual([modelId]);
    await say({ models: [chat()] }, null);
    expect(await list(member, member.projectId)).toEqual([]);
  });

  it("a model for some people and projects is closed to everyone else, and for a project opens only within it", async () => {
    const third = await studio.instance.createPerson("mal@example.org");
    const [shared] = [third.projectId];
    await studio.instance.commit(({ tx }) =>
      insertMember(tx, {
        projectId: shared,
        userId: member.user.id,
        role: "editor",
        at: studio.instance.deps.clock.now(),
      }),
    );
    await say({ models: [chat()] }, { who: "these", userIds: [], projectIds: [shared] });
    const { modelId } = chat();
    expect(await list(member, shared)).toContain(modelId);
    expect(await list(member, member.projectId)).not.toContain(modelId);
    expect(await named(key)).not.toContain(modelId);
    const { connectionId } = chat();
    const star = (who: Asks) =>
      who.call("starModel", { params: { connectionId }, body: { modelId } });
    const ofShared = await studio.instance.createKey(member, { projectId: shared });
    // A star belongs to the person, but a key learns nothing of their other projects.
    for (const [who, status] of [
      [key, 404],
      [ofShared, 200],
      [member, 200],
    ] as const)
      expect((await star(who)).status).toBe(status);
    await say({ models: [chat()] }, { who: "these", userIds: [member.user.id], projectIds: [] });
    expect(await list(member, member.projectId)).toContain(modelId);
    expect(await named(key)).toContain(modelId);
    expect(await list(third, third.projectId)).not.toContain(modelId);
    const users = await admin.call("getModelUsers", { query: { ...chat() } });
    const { id, name, email } = member.user;
    expect(users.body).toEqual({ people: [{ id, name, detail: email }], projects: [] });
    await say({ models: [chat()] }, { who: "these", userIds: [], projectIds: [] });
    expect(await list(member, member.projectId)).not.toContain(modelId);
    expect(await list(admin, admin.projectId)).toContain(modelId);
  });

  it("one rule opens or closes all results of a search", async () => {
    const before = await list(member, member.projectId);
    const found = await list(member, member.projectId, {
      connectionId: studio.models.fal.connectionId,
      search: "sim",
    });
    const answer = await say(
      { found: { connectionId: studio.models.fal.connectionId, search: "sim" } },
      admins,
    );
    expect(answer.body).toEqual({ models: found.length });
    expect(await list(member, member.projectId)).toEqual(
      before.filter((id) => !found.includes(id)),
    );
    const query = { connectionId: studio.models.fal.connectionId };
    const listed = await admin.call<{ models: { users: ModelUsers }[] }>("listModelAccess", {
      query,
    });
    expect(listed.body.models[0]?.users).toEqual(admins);
  });

  it("a conversation whose model was closed stays readable, and needs another model to be answered", async () => {
    const send = await converse(member);
    const said = await send(chat());
    await studio.ended(said.body.run.id);
    await say({ connectionId: chat().connectionId }, admins);
    const run = { params: { runId: said.body.run.id } };
    expect(await member.call("getRun", run)).toMatchObject({
      status: 200,
      body: { run: { state: "succeeded" } },
    });
    const again = (model: object) =>
      member.call("answerAgain", { params: { messageId: said.body.message.id }, body: { model } });
    expect(await again(chat())).toMatchObject({
      status: 410,
      body: {
        code: "model_gone",
        detail: "This model is no longer available, or you have no access to it. Ask an admin.",
      },
    });
    expect((await again(studio.models.ollama)).status).toBe(200);
  });

  it("if admins disallow it, members add no connections and see why; existing ones stay theirs", async () => {
    const values = { api: studio.openai.url, key: studio.openai.key };
    // A person's own connection may not be on this machine, where the simulator is, so it is moved
    // to the member afterwards.
    const wish = {
      kind: "openai-compatible",
      name: "Mine",
      scope: "instance" as const,
      userId: admin.user.id,
      values,
    };
    const { id } = (await connect(studio.instance.engineDeps, wish)).connection;
    const theirs = { scope: "user", scope_id: member.user.id } as const;
    await studio.instance.store.db
      .updateTable("connection")
      .set(theirs)
      .where("id", "=", id)
      .execute();
    await admin.call("updateAccess", { body: { modelsFor: "admins", membersConnect: false } });
    const body = { kind: "openai-compatible", name: "Another", scope: "user", values };
    expect(await member.call("createConnection", { body })).toMatchObject({
      status: 403,
      body: { code: "forbidden" },
    });
    expect((await member.call<{ mayAdd: boolean }>("listConnections")).body.mayAdd).toBe(false);
    expect((await admin.call<{ mayAdd: boolean }>("listConnections")).body.mayAdd).toBe(true);
    expect(await list(member, member.projectId, { connectionId: id })).toContain("sim-chat");
    expect(await list(admin, admin.projectId, { connectionId: id })).toEqual([]);
    const of = { models: [{ connectionId: id, modelId: "sim-chat" }] };
    expect((await admin.call("setModelAccess", { body: { of, users: admins } })).status).toBe(404);
    expect(
      (await member.call("setModelAccess", { body: { of: { connectionId: id }, users: null } }))
        .status,
    ).toBe(403);
  });
});
