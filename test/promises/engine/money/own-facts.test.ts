import { expect, it, onTestFinished } from "vitest";
import type { Model, ModelDetail } from "#contract/entities.ts";
import { connect } from "#engine/connections/connect.ts";
import { startOpenAiCompatible } from "../../../simulators/openai-compatible.ts";
import { onSqlite } from "../../../support/databases/databases.ts";
import { until } from "../../../support/server/instance.ts";
import { createStudio } from "../../../support/studio/studio.ts";

onSqlite((create) => {
  async function build() {
    const studio = await createStudio(await create(), { endsWithTest: true });
    const { person, instance } = studio;
    const { connectionId, modelId } = studio.models.openai;
    const say = (facts: object | null, who = person) =>
      who.call("setModelFacts", { params: { connectionId }, body: { modelId, facts } });
    const shown = async () => {
      const query = { projectId: person.projectId, model: modelId };
      return (
        await person.call<{ model: ModelDetail }>("getModel", { params: { connectionId }, query })
      ).body.model;
    };
    const found = async (query: Record<string, string>) =>
      (
        await person.call<{ models: Model[] }>("listModels", {
          query: { projectId: person.projectId, ...query },
        })
      ).body.models.map((m) => m.modelId);
    return { ...studio, instance, connectionId, modelId, say, shown, found };
  }

  it("a person's facts about a model override the stated ones, survive a refresh, and can be withdrawn", async () => {
    const studio = await build();
    const { modelId } = studio;
    const before = await studio.shown();
    expect(before).toMatchObject({ ownFacts: null });
    expect(await studio.found({ context: "60000" })).not.toContain(modelId);
    const facts = {
      contextTokens: 65_536,
      outputTokens: 4_096,
      capabilities: { audioInput: true, tools: false },
    };
    expect((await studio.say(facts)).status).toBe(200);
    const check = async () => {
      expect(await studio.shown()).toMatchObject({
        limits: { contextTokens: 65_536, outputTokens: 4_096 },
        capabilities: { audioInput: true, tools: false },
        ownFacts: { facts, by: studio.person.user.name, at: expect.any(Number) },
      });
      expect(await studio.found({ context: "60000" })).toContain(modelId);
    };
    await check();
    await studio.person.call("checkConnection", { params: { connectionId: studio.connectionId } });
    await check();
    await studio.say(null);
    const after = await studio.shown();
    expect({ ...after, fetchedAt: 0 }).toEqual({ ...before, fetchedAt: 0 });
    expect(await studio.found({ context: "60000" })).not.toContain(modelId);
  });

  it("a model's task may be set if its server states none: its form, lists and requests follow", async () => {
    const studio = await build();
    const { modelId, connectionId, person } = studio;
    const listed = () => studio.found({ connectionId, task: "image" });
    expect(await listed()).not.toContain(modelId);
    expect((await studio.say({ task: "image" })).status).toBe(200);
    const check = async () => {
      expect(await studio.shown()).toMatchObject({
        tasks: ["image"],
        outputModalities: ["image"],
        inputSchema: { required: ["prompt"] },
      });
      expect(await listed()).toContain(modelId);
    };
    await check();
    await person.call("checkConnection", { params: { connectionId } });
    await check();
    const run = await studio.make("a quay", { model: { connectionId, modelId }, input: {} });
    expect(await studio.ended(run.id)).toMatchObject({ state: "succeeded", task: "image" });
    expect(studio.openai.posts.at(-1)?.path).toBe("/images/generations");
    expect(await studio.say({ task: "video" })).toMatchObject({
      status: 422,
      body: { field: "facts.task" },
    });
    await check();
    expect((await studio.say(null)).status).toBe(200);
    expect(await studio.shown()).toMatchObject({ tasks: ["chat"], ownFacts: null });
    expect(await listed()).not.toContain(modelId);
  });

  it("a task isn't accepted if the service states its models' tasks, or while its list can't be read", async () => {
    const studio = await build();
    const ref = studio.models.fal;
    const body = { modelId: ref.modelId, facts: { task: "video" } };
    expect(
      (
        await studio.person.call("setModelFacts", {
          params: { connectionId: ref.connectionId },
          body,
        })
      ).status,
    ).toBe(422);
    await studio.openai.stop();
    expect((await studio.say({ task: "image" })).status).toBe(502);
    expect(await studio.shown()).toMatchObject({ tasks: ["chat"], ownFacts: null });
  });

  /** A server whose list is held until it is released: the `held`-th request from now on. */
  async function buildSlow() {
    const studio = await build();
    const { person, instance } = studio;
    const goesOn = Promise.withResolvers<void>();
    let [reads, held] = [0, 0];
    const rows = async () => {
      if (++reads === held) await goesOn.promise;
      return [{ id: "a-model" }, { id: "another" }];
    };
    const slow = await startOpenAiCompatible({ models: rows });
    onTestFinished(async () => {
      goesOn.resolve();
      await slow.stop();
    });
    const values = { api: slow.url, key: slow.key };
    const made = await connect(instance.engineDeps, {
      kind: "openai-compatible",
      name: "slow",
      scope: "instance",
      userId: person.user.id,
      values,
    });
    const params = { connectionId: made.connection.id };
    const shown = async (modelId: string) => {
      const query = { projectId: person.projectId, model: modelId };
      return (await person.call<{ model: ModelDetail }>("getModel", { params, query })).body.model;
    };
    await until("its list was read", async () => (await shown("another")) !== undefined);
    return {
      shown,
      check: () => person.call("checkConnection", { params }),
      say: (facts: object) =>
        person.call("setModelFacts", { params, body: { modelId: "a-model", facts } }),
      hold(time: number): void {
        [reads, held] = [0, time];
      },
      remove: () => person.call("removeConnection", { params }),
      isHeld: () => until("its list is being read", async () => reads === held),
      letGo: goesOn.resolve,
    };
  }

  it("facts set while the list is being read still hold afterwards", async () => {
    const { shown, check, say, hold, isHeld, letGo } = await buildSlow();
    // A check requests the list once before it reads it.
    hold(2);
    const checked = check();
    await isHeld();
    const facts = { task: "image", contextTokens: 4_096 };
    expect((await say(facts)).status).toBe(200);
    letGo();
    expect((await checked).status).toBe(200);
    const inputSchema = { required: ["prompt"] };
    expect(await shown("a-model")).toMatchObject({
      tasks: ["image"],
      status: "active",
      ownFacts: { facts },
      inputSchema,
    });
    expect(await shown("another")).toMatchObject({ tasks: ["chat"], status: "active" });
  });

  it("of two people who set a model's task at once, one is informed, and their values never mix", async () => {
    const { shown, say, hold, isHeld, letGo } = await buildSlow();
    hold(1);
    const first = say({ task: "image" });
    await isHeld();
    expect((await say({ task: "speech" })).status).toBe(200);
    letGo();
    expect(await first).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining("Someone else") },
    });
    expect(await shown("a-model")).toMatchObject({
      tasks: ["speech"],
      ownFacts: { facts: { task: "speech" } },
    });
  });

  it("setting facts of a model removed during a list refresh reports it as missing", async () => {
    const { say, hold, isHeld, letGo, remove } = await buildSlow();
    hold(1);
    const said = say({ task: "image" });
    await isHeld();
    expect((await remove()).status).toBe(200);
    letGo();
    expect(await said).toMatchObject({ status: 404, body: { code: "not_found" } });
  });

  it("a model that left the list meanwhile is missing, and its earlier facts stay", async () => {
    const studio = await build();
    const { connectionId, modelId, instance } = studio;
    await instance.store.db
      .updateTable("model")
      .set({ model_id: "went" })
      .where("connection_id", "=", connectionId)
      .where("model_id", "=", modelId)
      .execute();
    const body = { modelId: "went", facts: { task: "image" } };
    expect(
      await studio.person.call("setModelFacts", { params: { connectionId }, body }),
    ).toMatchObject({ status: 404 });
    expect(
      await instance.store.db
        .selectFrom("model_override")
        .selectAll()
        .where("facts", "is not", null)
        .execute(),
    ).toEqual([]);
  });

  it("a conversation whose model now makes pictures says so in a sentence, and keeps its messages", async () => {
    const studio = await build();
    const first = await studio.ask("hello");
    await studio.ended(first.run.id);
    await studio.say({ task: "image" });
    const ask = { model: studio.models.openai, settings: {} };
    const said = await studio.person.call("sendMessage", {
      params: { conversationId: first.conversationId },
      body: { parentId: first.answer.id, text: "and again", attachments: [], ask },
    });
    expect(said).toMatchObject({
      status: 422,
      body: {
        code: "invalid_input",
        detail: expect.stringContaining("does not support “Chat”. It supports “Picture”"),
      },
    });
    expect(studio.openai.posts).toHaveLength(1);
  });

  it("only people who manage the connection may set facts, of existing models", async () => {
    const studio = await build();
    const member = await studio.instance.createPerson("grace@example.org");
    expect((await studio.say({ contextTokens: 10 }, member)).status).toBe(403);
    expect((await studio.say({ contextTokens: 0 })).status).toBe(422);
    const missing = {
      params: { connectionId: studio.connectionId },
      body: { modelId: "no-such", facts: { contextTokens: 10 } },
    };
    expect((await studio.person.call("setModelFacts", missing)).status).toBe(404);
  });

  it("the cheapest comes first, in any unit, and unknown prices last", async () => {
    const studio = await build();
    const { person, connectionId } = studio;
    const price = (modelId: string, prices: { unit: string; micros: string }[]) =>
      person.call("setModelPrice", { params: { connectionId }, body: { modelId, prices } });
    await price("sim-image", [{ unit: "image", micros: "40000" }]);
    await price("sim-chat", [
      { unit: "input token", micros: "1" },
      { unit: "output token", micros: "2" },
    ]);
    await price("sim-speech", [{ unit: "character", micros: "15" }]);
    const found = await studio.found({ connectionId, order: "price" });
    expect(found.slice(0, 3)).toEqual(["sim-chat", "sim-speech", "sim-image"]);
    const first = await person.call<{ models: Model[]; next: string }>("listModels", {
      query: { projectId: person.projectId, connectionId, order: "price", limit: "2" },
    });
    const rest = await studio.found({
      connectionId,
      order: "price",
      limit: "200",
      cursor: first.body.next,
    });
    expect([...first.body.models.map(({ modelId }) => modelId), ...rest]).toEqual(found);
  });
});
