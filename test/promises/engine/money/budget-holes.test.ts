import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import type { Budget } from "#contract/entities.ts";
import type { JsonObject } from "#contract/json.ts";
import { refuseRun } from "#engine/follow/cancel.ts";
import type { ChatRunInput } from "#store/content/conversations.ts";
import { readUsage } from "#store/money/usage.ts";
import { insertRun } from "#store/runs/runs.ts";
import { forEachDatabase } from "../../../support/databases/databases.ts";
import { expectRightBooks } from "../../../support/databases/right-books.ts";
import { buildRun } from "../../../support/databases/store-rows.ts";
import { type Caller, until } from "../../../support/server/instance.ts";
import { createStudio, type Studio } from "../../../support/studio/studio.ts";

type Setting = Partial<Pick<Budget, "onLimit">> & {
  scope: "instance" | "project" | "user";
  scopeId?: string;
};

forEachDatabase((_, create) => {
  let studio: Studio;
  beforeAll(async () => {
    studio = await createStudio(await create());
  });
  afterAll(() => studio.close());
  beforeEach(async () => {
    const { db } = studio.instance.store;
    await db.deleteFrom("budget").execute();
    for (const { id } of await db
      .selectFrom("run")
      .select("id")
      .where("state", "=", "queued")
      .execute())
      await studio.instance.engine.cancelRun(id);
    await until("nothing is under way", async () => {
      const open = await db
        .selectFrom("run")
        .select("id")
        .where("finished_at", "is", null)
        .execute();
      return open.length === 0;
    });
  });

  const owner = (): Caller => studio.person;
  async function budget(
    limitMicros: number | null,
    { scope, scopeId, ...setting }: Setting,
  ): Promise<void> {
    const body = {
      scope,
      scopeIds: [scopeId ?? null],
      period: "total",
      timeZone: "UTC",
      onLimit: "block",
      ...setting,
      limitMicros,
    };
    expect(await owner().call("setBudgets", { body })).toMatchObject({ status: 200 });
  }
  const priceOf = (modelId: string, prices: { unit: string; micros: string }[] | null) =>
    studio.instance.store.db
      .updateTable("model")
      .set({
        price:
          prices && JSON.stringify(prices.map((price) => ({ ...price, source: "test", at: 0 }))),
      })
      .where("model_id", "=", modelId)
      .execute();
  const usageOfToday = async () => {
    const { deps, store } = studio.instance;
    const day = new Date(deps.clock.now()).toISOString().slice(0, 10);
    const viewer = { userId: studio.person.user.id, projectIds: [], seesAllKeys: true };
    return (await readUsage(store, "instance", viewer, { from: day, to: day })).total;
  };
  const form = (
    model: { connectionId: string; modelId: string },
    task: string,
    input: JsonObject,
  ) =>
    owner().call<{ runs: { id: string; heldMicros: number }[]; code: string }>("createRuns", {
      body: { projectId: owner().projectId, models: [model], task, input },
    });

  it("a local model is free, and no budget refuses it or makes it wait", async () => {
    await budget(0, { scope: "instance" });
    const { run } = await studio.ask("for nothing", "ollama");
    expect(await studio.ended(run.id)).toMatchObject({ state: "succeeded", costMicros: 0 });
    await budget(0, { scope: "instance", onLimit: "ask" });
    const other = await studio.ask("for nothing again", "ollama");
    expect(await studio.ended(other.run.id)).toMatchObject({ state: "succeeded", costMicros: 0 });
  });

  it.each([
    ["an unlimited budget", null, "block"],
    ["a budget that only warns", 0, "warn"],
  ] as const)(
    "under %s a model without a price runs at once, without a limit, at an unknown cost",
    async (_, limitMicros, onLimit) => {
      await budget(limitMicros, { scope: "instance", onLimit });
      const { unpricedRuns } = await usageOfToday();
      const { run } = await studio.ask(`of unknown price, ${onLimit}`);
      expect(run).toMatchObject({ waitingFor: null, heldMicros: 0 });
      expect(await studio.ended(run.id)).toMatchObject({
        state: "succeeded",
        costMicros: null,
        costBasis: null,
      });
      expect(await studio.spentOf(run.id)).toEqual([]);
      expect((await usageOfToday()).unpricedRuns).toBe(unpricedRuns + 1);
      expect((run.input as ChatRunInput).settings).toEqual({});
    },
  );

  it("a run that needs approval for its unknown price keeps waiting when another budget changes", async () => {
    await budget(1e9, { scope: "instance", onLimit: "ask" });
    const { run } = await studio.ask("of unknown price");
    expect(await studio.runOf(run.id)).toMatchObject({ waitingFor: "admin", heldMicros: 0 });
    const eve = await studio.instance.createPerson(`eve${Math.random()}@example.org`);
    const setting = { period: "total", timeZone: "UTC", onLimit: "warn", limitMicros: 1 };
    expect(
      (await eve.call("setProjectBudget", { params: { projectId: eve.projectId }, body: setting }))
        .status,
    ).toBe(200);
    expect(await studio.runOf(run.id)).toMatchObject({ state: "queued", waitingFor: "admin" });
    await owner().call("decideWaiting", { params: { runId: run.id }, body: { allow: true } });
    await studio.ended(run.id);
  });

  it("a run that needs approval isn't released when its budget begins to block", async () => {
    await budget(0, { scope: "instance", onLimit: "ask" });
    const run = await studio.make("over the limit");
    expect(await studio.runOf(run.id)).toMatchObject({ waitingFor: "admin" });
    await budget(0, { scope: "instance", onLimit: "block" });
    expect(await studio.runOf(run.id)).toMatchObject({ state: "queued", waitingFor: "admin" });
    expect(studio.fal.ledger.postsOf("over the limit")).toBe(0);
    await budget(null, { scope: "instance" });
    expect(await studio.ended(run.id)).toMatchObject({ state: "succeeded" });
  });

  it("a run of unknown price that waits after a restore needs approval for its money next", async () => {
    await budget(1e9, { scope: "instance", onLimit: "ask" });
    const { run } = await studio.ask("of unknown price, restored");
    await studio.instance.store.db
      .updateTable("run")
      .set({ waiting_for: "restore" })
      .where("id", "=", run.id)
      .execute();
    expect((await owner().call("approveRun", { params: { runId: run.id } })).status).toBe(200);
    expect(await studio.runOf(run.id)).toMatchObject({ state: "queued", waitingFor: "admin" });
  });

  it("an approver sees their own waiting runs, however many others wait", async () => {
    const { instance, models } = studio;
    const eve = await instance.createPerson(`eve${Math.random()}@example.org`);
    const waits = (who: Caller, waitingFor: "admin" | "manager") =>
      buildRun({
        projectId: who.projectId,
        userId: who.user.id,
        ...models.fal,
        task: "image",
        input: {},
        waitingFor,
      });
    const mine = { ...waits(eve, "manager"), id: "ffffffff-ffff-7fff-bfff-ffffffffffff" };
    await instance.commit(async (unit) => {
      for (let i = 0; i < 501; i++) await insertRun(unit, waits(owner(), "admin"));
      await insertRun(unit, mine);
    });
    const listed = await eve.call<{ waiting: { runId: string }[] }>("listWaiting");
    expect(listed.body.waiting.map(({ runId }) => runId)).toEqual([mine.id]);
    const { db } = instance.store;
    await db
      .deleteFrom("run_event")
      .where("run_id", "in", db.selectFrom("run").select("id").where("state", "=", "queued"))
      .execute();
    await db.deleteFrom("run").where("state", "=", "queued").execute();
  });

  it("a request refused by a budget is admitted under the same key once there is room, and only once", async () => {
    await budget(0, { scope: "instance" });
    const again = () => studio.make("with one key", { idempotencyKey: "refused at first" });
    await expect(again()).rejects.toMatchObject({ code: "budget_exceeded" });
    await budget(null, { scope: "instance" });
    const [one, other] = await Promise.all([again(), again()]);
    expect(other.id).toBe(one.id);
    await studio.ended(one.id);
    await budget(0, { scope: "instance" });
    expect((await again()).id).toBe(one.id);
    expect(studio.fal.ledger.postsOf("with one key")).toBe(1);
  });

  it("a ceiling of zero doesn't count, because a run that reserves nothing would pass every budget", async () => {
    const { connectionId, modelId } = studio.models.openai;
    const set = (ceilingMicros: number) =>
      owner().call("setModelPrice", { params: { connectionId }, body: { modelId, ceilingMicros } });
    expect(await set(0)).toMatchObject({
      status: 422,
      body: { detail: expect.stringContaining("more than nothing") },
    });
    await budget(0, { scope: "instance" });
    await expect(studio.ask("for no money?")).rejects.toMatchObject({ code: "ceiling_needed" });
  });

  it("a field that the model lacks bounds nothing", async () => {
    const sound = { connectionId: studio.models.fal.connectionId, modelId: "sim/flux/dev" };
    await priceOf(sound.modelId, [{ unit: "second", micros: "280000" }]);
    await budget(1e9, { scope: "instance" });
    const refused = await form(sound, "image", {
      prompt: "how long?",
      image_size: "square",
      duration: 1,
    });
    expect(refused.body).toMatchObject({ code: "ceiling_needed" });
    await priceOf(sound.modelId, [{ unit: "megapixel", micros: "25000" }]);
  });

  it("every requested picture of a run is reserved", async () => {
    await priceOf(studio.models.openaiImage.modelId, [{ unit: "image", micros: "40000" }]);
    const made = await form(studio.models.openaiImage, "image", { prompt: "ten", n: 10 });
    expect(made.body.runs[0]).toMatchObject({ heldMicros: 400_000 });
    await studio.ended(made.body.runs[0]!.id);
  });

  it("uncounted megapixels are estimated from the pictures, and the cost is called an estimate", async () => {
    await priceOf(studio.models.openaiImage.modelId, [{ unit: "megapixel", micros: "25000" }]);
    const made = await form(studio.models.openaiImage, "image", {
      prompt: "two",
      n: 2,
      size: "auto",
    });
    const ended = await studio.ended(made.body.runs[0]!.id);
    expect(ended).toMatchObject({ costMicros: 50_000, costBasis: "estimated" });
    await priceOf(studio.models.openaiImage.modelId, null);
  });

  it("a run that cost more than its reservation says so", async () => {
    await priceOf(studio.models.openai.modelId, [
      { unit: "input token", micros: "3" },
      { unit: "output token", micros: "15" },
    ]);
    studio.openai.script({
      text: "Dear.",
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2, cost: 3 },
    });
    const { run } = await studio.ask("what do you cost?");
    const ended = await studio.ended(run.id);
    expect(ended).toMatchObject({ costMicros: 3_000_000 });
    expect(ended.warnings).toContainEqual({
      type: "overage",
      feature: "cost",
      message: expect.stringContaining("more than the $"),
    });
    await priceOf(studio.models.openai.modelId, null);
  });

  it.each([1e300, 8e9])(
    "an implausible cost of %s dollars isn't trusted, and its run ends",
    async (cost) => {
      await priceOf(studio.models.openai.modelId, [
        { unit: "input token", micros: "3" },
        { unit: "output token", micros: "15" },
      ]);
      studio.openai.script({
        text: "Dear.",
        usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2, cost },
      });
      const { run } = await studio.ask("what if you lie?");
      expect(await studio.ended(run.id)).toMatchObject({ state: "succeeded", costMicros: 18 });
      await priceOf(studio.models.openai.modelId, null);
    },
  );

  it("implausible counts aren't trusted, and the reservation is charged", async () => {
    await priceOf(studio.models.openai.modelId, [
      { unit: "input token", micros: "3" },
      { unit: "output token", micros: "15" },
    ]);
    const most = Number.MAX_SAFE_INTEGER;
    studio.openai.script({
      text: "Many.",
      usage: { prompt_tokens: most, completion_tokens: most, total_tokens: most },
    });
    const { run } = await studio.ask("how many words?");
    expect(await studio.ended(run.id)).toMatchObject({
      state: "succeeded",
      costMicros: run.heldMicros,
      costBasis: "held",
    });
    await priceOf(studio.models.openai.modelId, null);
  });

  it("a message after an answer in progress reserves for what that may still add", async () => {
    await priceOf(studio.models.openai.modelId, [
      { unit: "input token", micros: "3" },
      { unit: "output token", micros: "15" },
    ]);
    await studio.instance.store.db
      .updateTable("connection")
      .set({ text_places: 0, media_places: 0 })
      .execute();
    const { conversationId, answer } = await studio.ask("Tell me a long story.");
    const said = await owner().call<{ run: { id: string; heldMicros: number } }>("sendMessage", {
      params: { conversationId },
      body: {
        parentId: answer.id,
        text: "Go on.",
        ask: { model: studio.models.openai, settings: { maxOutputTokens: 10 } },
      },
    });
    await studio.instance.store.db
      .updateTable("connection")
      .set({ text_places: 8, media_places: 8 })
      .execute();
    expect(said.body.run.heldMicros).toBeGreaterThanOrEqual(3 * 8_192 + 15 * 10);
    await priceOf(studio.models.openai.modelId, null);
  });

  it("a late refusal doesn't stop a run that was approved over its budget", async () => {
    await budget(0, { scope: "instance", onLimit: "ask" });
    const run = await studio.make("yes and no [sim:hold]");
    await owner().call("decideWaiting", { params: { runId: run.id }, body: { allow: true } });
    await studio.inState(run.id, "running");
    await expect(refuseRun(studio.instance.engineDeps, run.id, "admin")).rejects.toMatchObject({
      code: "conflict",
    });
    studio.fal.release("yes and no [sim:hold]");
    expect(await studio.ended(run.id)).toMatchObject({
      state: "succeeded",
      cancelRequestedAt: null,
    });
  });

  it("after all this the ledger adds up, and usage can be read", async () => {
    await expectRightBooks(studio.instance.store.db);
    const total = await usageOfToday();
    expect(total.micros).toBeGreaterThan(0);
    expect(Number.isSafeInteger(total.tokens)).toBe(true);
  });
});
