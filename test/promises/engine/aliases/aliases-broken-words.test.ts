import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { aliasConnectionId } from "#contract/aliases.ts";
import type { ModelRef } from "#contract/entities.ts";
import type { Task } from "#contract/tasks.ts";
import { admitMessage } from "#engine/admit/admit-chat.ts";
import { connect } from "#engine/connections/connect.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import {
  type OpenAiCompatible,
  startOpenAiCompatible,
} from "../../../simulators/openai-compatible.ts";
import { onSqlite } from "../../../support/databases/databases.ts";
import { expectRightBooks } from "../../../support/databases/right-books.ts";
import { until } from "../../../support/server/instance.ts";
import { createStudio, type Studio, textOfMessage } from "../../../support/studio/studio.ts";

const question = "What is the name of the quay by the sea?";
const gateway = { kind: "status", status: 502, body: "<html>Bad gateway</html>" } as const;
const ownError = {
  kind: "status",
  status: 500,
  body: { error: { message: "It broke.", type: "server_error" } },
} as const;

onSqlite((create) => {
  let studio: Studio;
  let second: OpenAiCompatible;
  let first: ModelRef;
  let next: ModelRef;
  beforeAll(async () => {
    studio = await createStudio(await create());
    second = await startOpenAiCompatible();
    const models = JSON.stringify([{ id: "sim-embedding", task: "embedding" }]);
    const values = { api: second.url, key: second.key, models };
    const { connection } = await connect(studio.instance.engineDeps, {
      kind: "openai-compatible",
      name: "second",
      scope: "instance",
      userId: studio.person.user.id,
      values,
    });
    first = studio.models.openai;
    next = { connectionId: connection.id, modelId: "sim-chat" };
    await alias("house-chat", "chat", [first, next]);
    await alias("house-vectors", "embedding", [
      { ...first, modelId: "sim-embedding" },
      { ...next, modelId: "sim-embedding" },
    ]);
    await alias("house-image", "image", [studio.models.openaiImage, studio.models.fal]);
  });
  afterAll(async () => {
    await second.stop();
    await studio.close();
  });
  beforeEach(async () => {
    const { db } = studio.instance.store;
    await db.deleteFrom("budget").execute();
    await studio.forgetFailures();
    await db.updateTable("connection").set({ status: "ok", text_places: 8 }).execute();
    await price(first, 3, 15);
    await price(next, 30, 150);
  });

  async function alias(name: string, task: Task, models: ModelRef[]): Promise<void> {
    expect(await studio.person.call("createAlias", { body: { name, task, models } })).toMatchObject(
      { status: 200 },
    );
  }
  /** Micro-dollars per token, for every model of a connection. */
  const price = ({ connectionId }: ModelRef, input: number, output: number) =>
    studio.instance.store.db
      .updateTable("model")
      .set({
        price: JSON.stringify([
          { unit: "input token", micros: String(input), source: "test", at: 0 },
          { unit: "output token", micros: String(output), source: "test", at: 0 },
        ]),
      })
      .where("connection_id", "=", connectionId)
      .where("model_id", "in", ["sim-chat", "sim-embedding"])
      .execute();
  async function ask(text = question, settings = { maxOutputTokens: 1_000 }) {
    const conversationId = await studio.startConversation();
    const model = { connectionId: aliasConnectionId, modelId: "house-chat" };
    const said = await admitMessage(
      studio.instance.engineDeps,
      { userId: studio.person.user.id },
      { conversationId, parentId: null, text, attachments: [], ask: { model, settings } },
    );
    return { run: said.run!, answer: said.answer! };
  }
  const passedOver = async (id: string) =>
    (await studio.events(id)).flatMap(({ type, payload }) =>
      type === "model-passed-over" ? [payload] : [],
    );
  /** The amounts spent on each model, in order of booking. */
  const spent = async ({ id }: Pick<OwnedRun, "id">) =>
    (await studio.spentOf(id)).map((entry) => ({
      connectionId: entry.connection_id,
      micros: Number(entry.micros),
      settles: entry.settlement !== null,
    }));
  const usageOf = ({ connectionId }: ModelRef) =>
    studio.instance.store.db
      .selectFrom("usage_day")
      .select(["runs", "micros"])
      .where("connection_id", "=", connectionId)
      .where("model_id", "=", "sim-chat")
      .executeTakeFirst();
  async function budget(limitMicros: number): Promise<void> {
    const { db } = studio.instance.store;
    const entries = await db.selectFrom("ledger_entry").select("micros").execute();
    const before = entries.reduce((sum, entry) => sum + Number(entry.micros), 0);
    const body = {
      scope: "instance",
      scopeIds: [null],
      period: "total",
      timeZone: "UTC",
      onLimit: "block",
      limitMicros: before + limitMicros,
    };
    expect(await studio.person.call("setBudgets", { body })).toMatchObject({ status: 200 });
  }

  for (const [what, fault] of [
    ["a gateway's 502", gateway],
    ["a line that breaks before an answer", { kind: "reset", at: "request" }],
    ["a line that breaks before the first word", { kind: "reset", at: "head" }],
    ["a torn answer", { kind: "broken-json" }],
  ] as const)
    it(`${what}: the next model answers, and both are booked`, async () => {
      const usageBefore = await usageOf(first);
      studio.openai.script({ fault });
      const { run, answer } = await ask();
      const ended = await studio.ended(run.id);
      expect(ended).toMatchObject({
        state: "succeeded",
        alias: "house-chat",
        ...next,
        costBasis: "estimated",
        heldMicros: 0,
      });
      expect(textOfMessage(await studio.messageOf(answer.id))).not.toBe("");
      const [left, own] = await spent(run);
      expect(left).toMatchObject({ connectionId: first.connectionId, settles: false });
      // The question at 3 micro-dollars per token, without any of the 1,000 reserved output tokens.
      expect(left!.micros).toBeGreaterThan(0);
      expect(left!.micros).toBeLessThan(question.length * 3);
      expect(own).toMatchObject({ connectionId: next.connectionId, settles: true });
      expect(ended.costMicros).toBe(left!.micros + own!.micros);
      expect(await passedOver(run.id)).toMatchObject([
        { ...first, costMicros: left!.micros, costBasis: "estimated" },
      ]);
      expect(await studio.attempts(run.id)).toMatchObject([{ state: "lost" }, { state: "ended" }]);
      const usage = await usageOf(first);
      expect(Number(usage?.runs ?? 0)).toBe(Number(usageBefore?.runs ?? 0));
      expect(Number(usage?.micros)).toBe(Number(usageBefore?.micros ?? 0) + left!.micros);
      await expectRightBooks(studio.instance.store.db);
    });

  it("a 500 in the provider's own shape: the next model answers, and the refusal is assumed to be free", async () => {
    studio.openai.script({ fault: ownError });
    const { run } = await ask();
    expect(await studio.ended(run.id)).toMatchObject({
      state: "succeeded",
      ...next,
      costBasis: "known",
    });
    expect(await spent(run)).toMatchObject([{ connectionId: next.connectionId, settles: true }]);
    expect(await passedOver(run.id)).toMatchObject([
      { ...first, costMicros: 0, costBasis: "assumed" },
    ]);
    await expectRightBooks(studio.instance.store.db);
  });

  it("an overload reported inside the answer before its first word: the next model answers", async () => {
    const error = { message: "Overloaded.", type: "overloaded_error", code: "503" };
    studio.openai.script({ fault: { kind: "error-event", after: 0, error } });
    const { run } = await ask();
    expect(await studio.ended(run.id)).toMatchObject({ state: "succeeded", ...next });
    await expectRightBooks(studio.instance.store.db);
  });

  it("after the first word no other model is asked", async () => {
    const before = second.posts.length;
    for (const fault of [
      { kind: "reset", at: 1 },
      { kind: "error-event", after: 1, error: { message: "Overloaded.", code: "503" } },
    ] as const) {
      studio.openai.script({ text: ["one ", "two ", "three"], fault });
      const { run, answer } = await ask();
      expect(await studio.ended(run.id)).toMatchObject({
        state: "failed",
        ...first,
        costBasis: "estimated",
      });
      expect(textOfMessage(await studio.messageOf(answer.id))).toContain("one");
      expect(await passedOver(run.id)).toEqual([]);
    }
    expect(second.posts.length).toBe(before);
    await expectRightBooks(studio.instance.store.db);
  });

  it("a run fails when all models have failed, with all their possible charges", async () => {
    studio.openai.script({ fault: gateway });
    second.script({ fault: { kind: "reset", at: "head" } });
    const { run } = await ask();
    const ended = await studio.ended(run.id);
    expect(ended).toMatchObject({
      state: "failed",
      ...next,
      costBasis: "estimated",
      heldMicros: 0,
    });
    const booked = await spent(run);
    expect(booked.map(({ connectionId, settles }) => [connectionId, settles])).toEqual([
      [first.connectionId, false],
      [next.connectionId, true],
    ]);
    expect(booked[1]!.micros).toBe(booked[0]!.micros * 10);
    expect(ended.costMicros).toBe(booked[0]!.micros * 11);
    await expectRightBooks(studio.instance.store.db);
  });

  it("a final refusal doesn't cancel earlier charges", async () => {
    studio.openai.script({ fault: gateway });
    second.script({ fault: { kind: "status", status: 401 } });
    const { run } = await ask();
    const ended = await studio.ended(run.id);
    expect(ended).toMatchObject({ state: "failed", ...next, costBasis: "estimated" });
    expect(ended.costMicros).toBeGreaterThan(0);
    await expectRightBooks(studio.instance.store.db);
  });

  it("a model without a price may leave the run's cost unknown, and the rest is booked", async () => {
    const { db } = studio.instance.store;
    await db
      .updateTable("model")
      .set({ price: "[]" })
      .where("connection_id", "=", first.connectionId)
      .where("model_id", "=", "sim-chat")
      .execute();
    studio.openai.script({ fault: gateway });
    const { run } = await ask();
    expect(await studio.ended(run.id)).toMatchObject({
      state: "succeeded",
      ...next,
      costMicros: null,
      costBasis: null,
    });
    expect(await spent(run)).toMatchObject([{ connectionId: next.connectionId, settles: true }]);
    await expectRightBooks(db);
  });

  it("a next model over the remaining budget isn't asked, and the run ends within its budget", async () => {
    await price(next, 3, 15);
    studio.openai.script({ fault: gateway });
    const { run } = await ask();
    expect(await studio.ended(run.id)).toMatchObject({ state: "succeeded", ...next });
    const [left] = await spent(run);
    const before = second.posts.length;
    // Room for the first model's reservation or the second's, but not for the second's and the
    // first's possible charge.
    await budget(run.heldMicros + left!.micros - 1);
    studio.openai.script({ fault: gateway });
    const tight = await ask();
    expect(tight.run.heldMicros).toBe(run.heldMicros);
    const ended = await studio.ended(tight.run.id);
    expect(ended).toMatchObject({
      state: "failed",
      ...first,
      costMicros: left!.micros,
      costBasis: "estimated",
    });
    expect(await spent(tight.run)).toMatchObject([{ micros: left!.micros, settles: true }]);
    expect(second.posts.length).toBe(before);
    await studio.instance.store.db.deleteFrom("budget").execute();
    await budget(run.heldMicros + left!.micros);
    studio.openai.script({ fault: gateway });
    const roomy = await ask();
    expect(await studio.ended(roomy.run.id)).toMatchObject({ state: "succeeded", ...next });
    await expectRightBooks(studio.instance.store.db);
  });

  it("canceled while it waits for the next model, a run keeps the first model's possible charge", async () => {
    const { db } = studio.instance.store;
    await db
      .updateTable("connection")
      .set({ text_places: 0 })
      .where("id", "=", next.connectionId)
      .execute();
    studio.openai.script({ fault: gateway });
    const { run } = await ask();
    await until(
      "it waits for its second try",
      async () => (await studio.runOf(run.id)).connectionId === next.connectionId,
    );
    expect((await studio.person.call("cancelRun", { params: { runId: run.id } })).status).toBe(200);
    const ended = await studio.ended(run.id);
    expect(ended).toMatchObject({ state: "cancelled", costBasis: "estimated", heldMicros: 0 });
    expect(ended.costMicros).toBe((await spent(run))[0]!.micros);
    await expectRightBooks(db);
  });

  it("an invoice for the previous model corrects only its share of the run's cost", async () => {
    studio.openai.script({ fault: gateway });
    const { run } = await ask();
    await studio.ended(run.id);
    const [left, own] = await spent(run);
    const adopt = ({ connectionId }: ModelRef, billedMicros: number, bookedMicros: number) =>
      studio.person.call("adoptBill", {
        params: { connectionId },
        body: { costs: [{ runId: run.id, billedMicros, bookedMicros }], source: "invoice" },
      });
    expect(await adopt(first, 7, left!.micros + own!.micros)).toMatchObject({
      body: { adopted: 0, left: [run.id] },
    });
    expect(await adopt(first, 7, left!.micros)).toMatchObject({ body: { adopted: 1 } });
    expect((await studio.runOf(run.id)).costMicros).toBe(7 + own!.micros);
    expect(await adopt(next, 11, own!.micros)).toMatchObject({ body: { adopted: 1 } });
    expect((await studio.runOf(run.id)).costMicros).toBe(18);
    await expectRightBooks(studio.instance.store.db);
  });

  it("an embedding moves to the next model like a chat", async () => {
    const key = await studio.instance.createKey(studio.person);
    studio.openai.script({ fault: { kind: "reset", at: "request" } });
    const made = await key.call<{ data: unknown[] }>("createEmbeddings", {
      body: { model: "house-vectors", input: question },
    });
    expect(made.status).toBe(200);
    expect(made.body.data).toHaveLength(1);
    await expectRightBooks(studio.instance.store.db);
  });

  it("a model that makes files moves on only after a refusal in the provider's own shape", async () => {
    const image = { connectionId: aliasConnectionId, modelId: "house-image" };
    studio.openai.script({
      fault: { kind: "status", status: 403, body: "<html>Blocked by the firewall</html>" },
    });
    const blocked = await studio.make("a quay", { model: image });
    expect(await studio.ended(blocked.id)).toMatchObject({
      state: "failed",
      ...studio.models.openaiImage,
    });
    await studio.forgetFailures();
    await studio.instance.store.db.updateTable("connection").set({ status: "ok" }).execute();
    studio.openai.script({ fault: { kind: "status", status: 403 } });
    const refused = await studio.make("a quay", { model: image });
    expect(await studio.ended(refused.id)).toMatchObject({
      state: "succeeded",
      ...studio.models.fal,
    });
    await expectRightBooks(studio.instance.store.db);
  });
});
