import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from "vitest";
import { aliasConnectionId } from "#contract/aliases.ts";
import type { ModelRef, Run } from "#contract/entities.ts";
import { admitMessage } from "#engine/admit/admit-chat.ts";
import { getConversation, listMessages, updateConversation } from "#store/content/conversations.ts";
import { insertRun } from "#store/runs/runs.ts";
import { onSqlite } from "../../../support/databases/databases.ts";
import { expectRightBooks } from "../../../support/databases/right-books.ts";
import { buildRun } from "../../../support/databases/store-rows.ts";
import { type Caller, until } from "../../../support/server/instance.ts";
import { createStudio, type Studio, textOfMessage } from "../../../support/studio/studio.ts";

const refusal = (status: number) => ({ fault: { kind: "status", status } }) as const;
/** The simulated Flux's default size: 1,024 by 768, at $0.025 a megapixel. */
const fluxMicros = 25_000;
const small = { image_size: { width: 64, height: 64 } };

onSqlite((create) => {
  let studio: Studio;
  let member: Caller;
  beforeAll(async () => {
    studio = await createStudio(await create(), { fal: { pace: { by: "time", stepMs: 10 } } });
    member = await studio.instance.createPerson("eve@example.org");
    await alias("house-image", "image", [studio.models.openaiImage, studio.models.fal]);
    await alias("house-chat", "chat", [studio.models.openai, studio.models.ollama]);
    await alias("fast-image", "image", [studio.models.fal, studio.models.openaiImage]);
  });
  afterAll(() => studio.close());
  beforeEach(async () => {
    const { db } = studio.instance.store;
    await db.deleteFrom("budget").execute();
    await db.deleteFrom("model_access").execute();
    await studio.forgetFailures();
    await db
      .updateTable("connection")
      .set({ status: "ok", text_places: 8, media_places: 8 })
      .execute();
    await db.updateTable("instance").set({ models_for: "everyone" }).execute();
  });

  const named = (name: string): ModelRef => ({ connectionId: aliasConnectionId, modelId: name });
  async function alias(name: string, task: string, models: ModelRef[]): Promise<void> {
    expect(await studio.person.call("createAlias", { body: { name, task, models } })).toMatchObject(
      { status: 200 },
    );
  }
  const counted = () => ({
    openai: studio.openai.posts.length,
    fal: studio.fal.ledger.posts.length,
    billed: studio.fal.ledger.billed.length,
  });
  type Counted = ReturnType<typeof counted>;
  const since = (before: Counted): Counted => {
    const now = counted();
    return {
      openai: now.openai - before.openai,
      fal: now.fal - before.fal,
      billed: now.billed - before.billed,
    };
  };
  const passedOver = async (id: string) =>
    (await studio.events(id)).flatMap(({ type, payload }) =>
      type === "model-passed-over" ? [payload as { name: string; reason: string }] : [],
    );
  const expectBooksAreRight = (): Promise<void> => expectRightBooks(studio.instance.store.db);
  const price = (micros: string, model = studio.models.openaiImage) =>
    studio.person.call("setModelPrice", {
      params: { connectionId: model.connectionId },
      body: { modelId: model.modelId, prices: [{ unit: "image", micros }] },
    });
  /** Sets a budget of this amount beyond what was already spent. */
  async function budget(leftMicros: number, onLimit = "block"): Promise<void> {
    const entries = await studio.instance.store.db
      .selectFrom("ledger_entry")
      .select("micros")
      .where("user_id", "=", studio.person.user.id)
      .execute();
    const limitMicros = entries.reduce((sum, entry) => sum + Number(entry.micros), leftMicros);
    const of = {
      scope: "user",
      scopeIds: [studio.person.user.id],
      period: "total",
      timeZone: "UTC",
    };
    expect(
      (await studio.person.call("setBudgets", { body: { ...of, onLimit, limitMicros } })).status,
    ).toBe(200);
  }

  it("an alias of a local model is free in the model list, like the model itself", async () => {
    await alias("at-home", "chat", [studio.models.ollama]);
    const listed = async (price: "free" | "unknown") => {
      const query = { projectId: studio.person.projectId, price };
      const { body } = await studio.person.call<{ models: ModelRef[] }>("listModels", { query });
      return body.models.map(({ modelId }) => modelId);
    };
    expect(await listed("free")).toEqual(
      expect.arrayContaining(["at-home", studio.models.ollama.modelId]),
    );
    expect(await listed("unknown")).not.toContain("at-home");
  });

  it("a request that the first model definitely refused goes once to the next, with its price and reservation", async () => {
    await price("70000");
    await budget(90_000);
    const before = counted();
    studio.openai.script(refusal(429));
    const run = await studio.make("a quay at dusk", { model: named("house-image") });
    expect(run).toMatchObject({
      alias: "house-image",
      ...studio.models.openaiImage,
      heldMicros: 70_000,
    });
    const ended = await studio.ended(run.id);
    expect(ended).toMatchObject({
      state: "succeeded",
      alias: "house-image",
      ...studio.models.fal,
      costMicros: fluxMicros,
    });
    expect(since(before)).toEqual({ openai: 1, fal: 1, billed: 1 });
    expect(await studio.attempts(run.id)).toMatchObject([
      { number: 1, state: "refused", httpStatus: 429 },
      { number: 2, state: "ended" },
    ]);
    expect(await passedOver(run.id)).toMatchObject([
      { alias: "house-image", ...studio.models.openaiImage },
    ]);
    const ledger = (await studio.ledgerOf(run.id)).map(({ kind, micros, model_id }) => [
      kind,
      Number(micros),
      model_id,
    ]);
    expect(ledger).toEqual(
      expect.arrayContaining([
        ["hold", 70_000, "sim-image"],
        ["release", -70_000, "sim-image"],
        ["hold", fluxMicros, "sim/flux/dev"],
        ["release", -fluxMicros, "sim/flux/dev"],
        ["spend", fluxMicros, "sim/flux/dev"],
      ]),
    );
    expect(ledger).toHaveLength(5);
    await expectBooksAreRight();
  });

  it("a possibly accepted request goes to no other model", async () => {
    for (const fault of [
      { kind: "status", status: 502, body: "<html>Bad gateway</html>" },
      { kind: "html" },
      { kind: "broken-json" },
      { kind: "reset", at: "request" },
    ] as const) {
      const before = counted();
      studio.openai.script({ fault });
      const run = await studio.make("a lost quay", { model: named("house-image") });
      expect(await studio.ended(run.id)).toMatchObject({
        state: "unconfirmed",
        ...studio.models.openaiImage,
      });
      expect(since(before)).toEqual({ openai: 1, fal: 0, billed: 0 });
    }
    const before = counted();
    const run = await studio.make("[sim:lost-reply] a quay", {
      model: named("fast-image"),
      input: small,
    });
    expect((await studio.ended(run.id)).state).toBe("unconfirmed");
    expect(since(before)).toMatchObject({ openai: 0, fal: 1 });
  });

  it("a 500 in the provider's own shape is a refusal, and the next model is asked", async () => {
    const before = counted();
    studio.openai.script({
      fault: {
        kind: "status",
        status: 500,
        body: { error: { message: "It broke.", type: "server_error" } },
      },
    });
    const run = await studio.make("a quay", { model: named("house-image") });
    expect(await studio.ended(run.id)).toMatchObject({ state: "succeeded", ...studio.models.fal });
    expect(since(before)).toMatchObject({ openai: 1, fal: 1 });
    await expectBooksAreRight();
  });

  it("the last model is tried like any other, and a refused key ends the run with its message", async () => {
    const before = counted();
    studio.openai.script(refusal(401));
    const run = await studio.make("[sim:422] a quay", { model: named("house-image") });
    expect(await studio.ended(run.id)).toMatchObject({
      state: "failed",
      error: { code: "provider_invalid_input" },
      ...studio.models.fal,
    });
    expect(since(before)).toMatchObject({ openai: 1, fal: 1, billed: 0 });
    await expectBooksAreRight();
  });

  it("a field that the next model lacks is left out with a warning; a refused field skips the model", async () => {
    await alias("with-steps", "image", [studio.models.fal, studio.models.openaiImage]);
    const before = counted();
    const input = { image_size: { width: 64, height: 64 }, num_inference_steps: 4 };
    const run = await studio.make("[sim:422] a quay", { model: named("with-steps"), input });
    const ended = await studio.ended(run.id);
    expect(ended).toMatchObject({
      state: "succeeded",
      ...studio.models.openaiImage,
      input: { prompt: "[sim:422] a quay" },
    });
    expect(ended.warnings.map(({ feature }) => feature).sort()).toEqual([
      "image_size",
      "num_inference_steps",
      "seed",
    ]);
    expect(since(before)).toMatchObject({ openai: 1, fal: 1, billed: 0 });
    const wrong = {
      projectId: studio.person.projectId,
      task: "image",
      models: [named("with-steps")],
      input: { prompt: "x", num_inference_steps: "many" },
    };
    expect(await studio.person.call("createRuns", { body: wrong })).toMatchObject({
      status: 422,
      body: { code: "invalid_input" },
    });
  });

  it("a next model over a budget is skipped with the reason, and nothing stays reserved", async () => {
    await price("1000");
    await budget(5_000);
    const before = counted();
    studio.openai.script(refusal(403));
    const run = await studio.make("a dear quay", { model: named("house-image") });
    expect((await studio.ended(run.id)).state).toBe("failed");
    expect(since(before)).toEqual({ openai: 1, fal: 0, billed: 0 });
    expect((await passedOver(run.id)).map(({ reason }) => reason)).toEqual([
      expect.stringContaining("your budget of"),
    ]);
    expect((await studio.runOf(run.id)).heldMicros).toBe(0);
    await expectBooksAreRight();
  });

  it("under a budget with approval, the next model waits for approval and then runs", async () => {
    await price("1000");
    await budget(5_000, "ask");
    const before = counted();
    studio.openai.script(refusal(403));
    const run = await studio.make("a quay to be asked for", { model: named("house-image") });
    const waiting = await until("it waits", async () => {
      const one = await studio.runOf(run.id);
      return one.waitingFor === "admin" && one;
    });
    expect(waiting).toMatchObject({
      state: "queued",
      ...studio.models.fal,
      heldMicros: fluxMicros,
    });
    expect((await studio.person.call("approveRun", { params: { runId: run.id } })).status).toBe(
      200,
    );
    expect((await studio.ended(run.id)).state).toBe("succeeded");
    expect(since(before)).toEqual({ openai: 1, fal: 1, billed: 1 });
    await expectBooksAreRight();
  });

  it("a program's request never waits for approval: a next model that needs it is skipped", async () => {
    await price("1000");
    await budget(5_000, "ask");
    const before = counted();
    studio.openai.script(refusal(403));
    const key = await studio.instance.createKey(studio.person);
    const made = await key.call("createImages", {
      body: { model: "house-image", prompt: "a quay for a program" },
    });
    expect(made.status).toBeGreaterThanOrEqual(400);
    expect(since(before)).toEqual({ openai: 1, fal: 0, billed: 0 });
    await expectBooksAreRight();
  });

  it("retried, a reading goes to its alias, and a picture keeps the whole request", async () => {
    const { connectionId } = studio.models.openai;
    await alias("house-voice", "speech", [{ connectionId, modelId: "sim-speech" }]);
    const { answer, run: answering } = await studio.ask("say something");
    await studio.ended(answering.id);
    studio.openai.script(refusal(401));
    const read = await studio.person.call<{ run: Run }>("createReading", {
      params: { messageId: answer.id },
      body: { model: named("house-voice"), input: { input: "The tide is low." } },
    });
    expect((await studio.ended(read.body.run.id)).state).toBe("failed");
    const again = (runId: string) =>
      studio.person.call<{ run: Run }>("tryAgain", { params: { runId } });
    await studio.forgetFailures();
    await studio.instance.store.db.updateTable("connection").set({ status: "ok" }).execute();
    const readAgain = (await again(read.body.run.id)).body.run;
    expect(readAgain).toMatchObject({ alias: "house-voice" });
    expect((await studio.ended(readAgain.id)).state).toBe("succeeded");

    const input = { ...small, num_inference_steps: 4 };
    studio.openai.script(refusal(401));
    const run = await studio.make("[sim:422] a quay", { model: named("fast-image"), input });
    expect(await studio.ended(run.id)).toMatchObject({
      state: "failed",
      input: { prompt: "[sim:422] a quay" },
    });
    await studio.forgetFailures();
    await studio.instance.store.db.updateTable("connection").set({ status: "ok" }).execute();
    const madeAgain = (await again(run.id)).body.run;
    expect(madeAgain).toMatchObject({ alias: "fast-image", ...studio.models.fal, input });
    await studio.ended(madeAgain.id);
  });

  it("a tool behind an alias with permanent approval is allowed", async () => {
    const conversationId = await studio.startConversation();
    const tools = { models: [{ ...named("fast-image"), allowed: false }], library: false };
    await studio.instance.commit((unit) =>
      updateConversation(unit, conversationId, { settings: { tools } }),
    );
    studio.openai.script({
      text: ["May I?"],
      toolCalls: [{ name: "make_image_fast_image", input: { prompt: "a quay" } }],
    });
    await studio.ask("draw a quay", "openai", { conversationId });
    const { db } = studio.instance.store;
    const runId = await until("a tool waits", async () => {
      const parts = (await listMessages(db, conversationId)).flatMap((message) => message.parts);
      return (
        parts.flatMap((part) =>
          part.type === "tool-result" && part.runId ? [part.runId] : [],
        )[0] ?? false
      );
    });
    expect(await studio.runOf(runId)).toMatchObject({ alias: "fast-image", waitingFor: "asker" });
    await studio.instance.engine.approveRun(runId, "asker", { always: true });
    const { settings } = (await getConversation(db, conversationId))!;
    expect(settings).toMatchObject({
      tools: { models: [{ ...named("fast-image"), allowed: true }] },
    });
    await studio.ended(runId);
    // The answer continues with the picture, at the service whose requests the next test counts.
    await until("the answer is whole", async () => {
      const { role, state } = (await listMessages(db, conversationId)).at(-1)!;
      return role === "assistant" && state === "complete";
    });
  });

  it("a failing, refused or disabled service is skipped before anything is sent, also while a run waits for it", async () => {
    const { db } = studio.instance.store;
    const { connectionId } = studio.models.openaiImage;
    const set = (change: object) =>
      db.updateTable("connection").set(change).where("id", "=", connectionId).execute();
    const close = [
      () => studio.leaveAlone(connectionId),
      () =>
        studio.leaveAlone(connectionId, {
          model_id: studio.models.openaiImage.modelId,
          kind: "overload",
        }),
      () => set({ status: "failing" }),
      () => set({ status: "disabled" }),
    ];
    for (const closeIt of close) {
      await studio.forgetFailures();
      await set({ status: "ok" });
      await closeIt();
      const before = counted();
      const run = await studio.make("a quay past a closed door", { model: named("house-image") });
      expect(run).toMatchObject(studio.models.fal);
      expect((await studio.ended(run.id)).state).toBe("succeeded");
      expect(since(before)).toEqual({ openai: 0, fal: 1, billed: 1 });
      expect(await passedOver(run.id)).toHaveLength(1);
    }
    await set({ status: "ok", text_places: 0, media_places: 0 });
    const before = counted();
    const run = await studio.make("a quay that waits", { model: named("house-image") });
    expect(run).toMatchObject({ state: "queued", ...studio.models.openaiImage });
    await studio.leaveAlone(connectionId);
    expect(await studio.ended(run.id)).toMatchObject({ state: "succeeded", ...studio.models.fal });
    expect(since(before)).toEqual({ openai: 0, fal: 1, billed: 1 });
    await expectBooksAreRight();
  });

  it("a runnable run isn't blocked by any number of waiting ones", async () => {
    const { db } = studio.instance.store;
    const { openaiImage } = studio.models;
    const set = (change: object) =>
      db.updateTable("connection").set(change).where("id", "=", openaiImage.connectionId).execute();
    await set({ text_places: 0, media_places: 0 });
    const gone = {
      ...studio.models.fal,
      modelId: "gone",
      name: "gone",
      schemaHash: null,
      given: {},
      dropped: [],
      prices: [],
      mostMicros: 0,
    };
    const { projectId, user } = studio.person;
    const stuck = Array.from({ length: 100 }, () =>
      buildRun({
        ...openaiImage,
        projectId,
        userId: user.id,
        alias: { name: "stuck", asked: {}, passedOver: [], next: [gone] },
      }),
    );
    await studio.instance.commit(async (unit) => {
      for (const run of stuck) await insertRun(unit, run);
    });
    onTestFinished(async () => {
      const ids = stuck.map(({ id }) => id);
      await db.deleteFrom("run_event").where("run_id", "in", ids).execute();
      await db.deleteFrom("run").where("id", "in", ids).execute();
    });
    const run = await studio.make("a quay at the end of the line", { model: named("house-image") });
    await studio.leaveAlone(openaiImage.connectionId);
    expect(await studio.ended(run.id)).toMatchObject({ state: "succeeded", ...studio.models.fal });
  });

  it("canceled between two tries, a run ends there and nothing stays reserved", async () => {
    const { db } = studio.instance.store;
    await db
      .updateTable("connection")
      .set({ text_places: 0, media_places: 0 })
      .where("id", "=", studio.models.fal.connectionId)
      .execute();
    const before = counted();
    studio.openai.script(refusal(429));
    const run = await studio.make("a quay nobody wants", { model: named("house-image") });
    await until(
      "it waits for its second try",
      async () => (await studio.runOf(run.id)).connectionId === studio.models.fal.connectionId,
    );
    expect((await studio.person.call("cancelRun", { params: { runId: run.id } })).status).toBe(200);
    expect(await studio.ended(run.id)).toMatchObject({
      state: "cancelled",
      costMicros: 0,
      heldMicros: 0,
    });
    expect(since(before)).toEqual({ openai: 1, fal: 0, billed: 0 });
    await expectBooksAreRight();
  });

  it("the next model answers if the first refused before its first word", async () => {
    const before = counted();
    studio.openai.script(refusal(429));
    const conversationId = await studio.startConversation();
    const { run, answer } = await admitMessage(
      studio.instance.engineDeps,
      { userId: studio.person.user.id },
      {
        conversationId,
        parentId: null,
        text: "what is a quay?",
        attachments: [],
        ask: { model: named("house-chat"), settings: { temperature: 0 } },
      },
    );
    expect(await studio.ended(run!.id)).toMatchObject({
      state: "succeeded",
      alias: "house-chat",
      ...studio.models.ollama,
    });
    expect(textOfMessage(await studio.messageOf(answer!.id))).not.toBe("");
    expect(since(before).openai).toBe(1);
    expect(studio.ollama.ledger.postsOf("what is a quay?")).toBe(1);
    const torn = studio.openai.posts.length;
    studio.openai.script({ text: "one two three", fault: { kind: "reset", at: 2 } });
    const second = await admitMessage(
      studio.instance.engineDeps,
      { userId: studio.person.user.id },
      {
        conversationId,
        parentId: answer!.id,
        text: "and then?",
        attachments: [],
        ask: { model: named("house-chat"), settings: {} },
      },
    );
    expect(await studio.ended(second.run!.id)).toMatchObject(studio.models.openai);
    expect(studio.openai.posts.length - torn).toBe(1);
  });

  it("people who may use the alias need no permission for its models; others are refused", async () => {
    const say = (of: object, users: object | null) =>
      studio.person.call("setModelAccess", { body: { of, users } });
    await studio.person.call("updateAccess", { body: { modelsFor: "admins" } });
    const ask = (model: ModelRef) =>
      member.call("createRuns", {
        body: {
          projectId: member.projectId,
          models: [model],
          task: "image",
          input: { prompt: "a quay" },
        },
      });
    const refused = { status: 410, body: { code: "model_gone" } };
    expect(await ask(named("fast-image"))).toMatchObject(refused);
    await say(
      { models: [named("fast-image")] },
      { who: "these", userIds: [member.user.id], projectIds: [] },
    );
    expect(await ask(studio.models.fal)).toMatchObject(refused);
    const asked = await ask(named("fast-image"));
    expect(asked.status).toBe(200);
    const [run] = asked.body.runs as { id: string }[];
    expect((await studio.ended(run!.id)).state).toBe("succeeded");
    const key = await studio.instance.createKey(member);
    const models = await key.call<{ data: { id: string }[] }>("listOpenAiModels");
    expect(models.body.data.map(({ id }) => id)).toEqual(["fast-image"]);
    const made = await key.call("createImages", {
      body: { model: "fast-image", prompt: "a quay" },
    });
    expect(made.status).toBe(200);
  });

  it("an alias holds shared models with its task, and no other alias", async () => {
    const body = (models: ModelRef[], task = "image") => ({
      body: { name: "another", task, models },
    });
    const field = async (given: object) =>
      (await studio.person.call<{ field: string }>("createAlias", given)).body.field;
    expect(await field(body([studio.models.fal, studio.models.openai]))).toBe("models.1");
    expect(await field(body([named("house-image")]))).toBe("models.0");
    expect(await field(body([studio.models.fal, studio.models.fal]))).toBe("models.1");
    expect(
      await field({ body: { name: "No Name", task: "image", models: [studio.models.fal] } }),
    ).toBe("name");
    const again = await studio.person.call("createAlias", {
      body: { name: "house-image", task: "image", models: [studio.models.fal] },
    });
    expect(again).toMatchObject({ status: 409, body: { code: "conflict" } });
    expect(
      (await studio.person.call("removeAlias", { params: { alias: "with-steps" } })).status,
    ).toBe(200);
    const gone = {
      projectId: studio.person.projectId,
      task: "image",
      models: [named("with-steps")],
      input: { prompt: "x" },
    };
    expect(await studio.person.call("createRuns", { body: gone })).toMatchObject({
      status: 410,
      body: { code: "model_gone" },
    });
  });
});
