import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import type { JsonObject } from "#contract/json.ts";
import { admitAgain } from "#engine/admit/admit-media.ts";
import { admitTurns } from "#engine/admit/admit-turns.ts";
import type { ChatRunInput } from "#store/content/conversations.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import { onSqlite } from "../../../support/databases/databases.ts";
import { createStudio, type Studio } from "../../../support/studio/studio.ts";

type Estimate = {
  likelyMicros: number | null;
  mostMicros: number | null;
  context: { outputTokens: number; neededTokens: number };
};

onSqlite((create) => {
  let studio: Studio;
  beforeAll(async () => {
    studio = await createStudio(await create());
  });
  afterAll(() => studio.close());
  beforeEach(async () => {
    await studio.instance.store.db.deleteFrom("budget").execute();
    await facts({ prices: tokens, limits: {}, form: {} });
  });

  const tokens = [
    { unit: "input token", micros: "3" },
    { unit: "output token", micros: "15" },
  ];
  const facts = (of: {
    prices?: { unit: string; micros: string }[];
    limits?: object;
    form?: object;
  }) =>
    studio.instance.store.db
      .updateTable("model")
      .set({
        ...(of.prices && {
          price: JSON.stringify(of.prices.map((price) => ({ ...price, source: "test", at: 0 }))),
        }),
        ...(of.limits && { limits: JSON.stringify(of.limits) }),
        ...(of.form && {
          input_schema: JSON.stringify({
            type: "object",
            properties: { maxOutputTokens: { type: "integer" }, ...of.form },
          }),
        }),
      })
      .where("model_id", "=", "sim-chat")
      .execute();
  async function budget(limitMicros: number): Promise<void> {
    const body = {
      scope: "instance",
      scopeIds: [null],
      period: "total",
      timeZone: "UTC",
      onLimit: "block",
      limitMicros,
    };
    expect(await studio.person.call("setBudgets", { body })).toMatchObject({ status: 200 });
  }
  const leftOf = async (): Promise<number> => {
    const { limit_micros, spent_micros, held_micros } = await studio.instance.store.db
      .selectFrom("balance")
      .innerJoin("budget", "budget.id", "balance.budget_id")
      .select(["limit_micros", "spent_micros", "held_micros"])
      .executeTakeFirstOrThrow();
    return limit_micros - spent_micros - held_micros;
  };
  const settingsOf = ({ input }: Pick<OwnedRun, "input">): JsonObject =>
    (input as ChatRunInput).settings;
  const askWith = async (settings: JsonObject) => {
    const { person, models } = studio;
    const conversationId = await studio.startConversation();
    const body = {
      parentId: null,
      text: "How far is the sea?",
      ask: { model: models.openai, settings },
    };
    return person.call<{ run: OwnedRun; code: string }>("sendMessage", {
      params: { conversationId },
      body,
    });
  };
  const estimate = async (settings: JsonObject = {}): Promise<Estimate> => {
    const text = "How far is the sea?";
    const body = {
      model: studio.models.openai,
      settings,
      characters: text.length,
      bytes: text.length,
    };
    return (
      await studio.person.call<Estimate>("estimateAnswer", {
        params: { projectId: studio.person.projectId },
        body,
      })
    ).body;
  };

  it("without a blocking budget no limit is sent, and the model's longest answer is reserved", async () => {
    const { run } = await studio.ask("How long?");
    expect(settingsOf(run)).not.toHaveProperty("maxOutputTokens");
    expect(run.heldMicros).toBeGreaterThanOrEqual(15 * 8_192);
    expect(run.heldMicros).toBeLessThan(15 * 8_192 + 3 * 200);
    await studio.ended(run.id);
    await facts({ limits: { outputTokens: 20_000 } });
    const other = await studio.ask("And how long may you be?");
    expect(settingsOf(other.run)).not.toHaveProperty("maxOutputTokens");
    expect(other.run.heldMicros).toBeGreaterThanOrEqual(15 * 20_000);
    await studio.ended(other.run.id);
  });

  it("under a blocking budget the limit is what a quarter of the remainder pays for, and the screen shows the same", async () => {
    await facts({ limits: { outputTokens: 100_000 } });
    await budget(40_000_000);
    const most = await askWith({});
    // A quarter would pay for more than the maximum ever sent.
    expect(settingsOf(most.body.run)).toMatchObject({ maxOutputTokens: 32_768 });
    await studio.ended(most.body.run.id);
    await studio.instance.store.db.deleteFrom("budget").execute();
    await budget((await spentSoFar()) + 400_000);
    const left = await leftOf();
    const shown = await estimate();
    const { body } = await askWith({});
    const sent = Number(settingsOf(body.run).maxOutputTokens);
    expect(sent).toBeGreaterThan(1_024);
    expect(sent).toBeLessThan(32_768);
    expect(shown.context.outputTokens).toBe(sent);
    expect(shown.mostMicros).toBe(body.run.heldMicros);
    expect(body.run.heldMicros).toBeLessThanOrEqual(left / 4);
    expect(body.run.heldMicros + 15).toBeGreaterThan(left / 4);
    await studio.ended(body.run.id);
  });

  it("if not even the minimum fits, a blocking budget refuses; a chosen limit is sent unchanged", async () => {
    await budget((await spentSoFar()) + 17_000);
    const least = await askWith({});
    expect(settingsOf(least.body.run)).toMatchObject({ maxOutputTokens: 1_024 });
    await studio.ended(least.body.run.id);
    await studio.instance.store.db.deleteFrom("budget").execute();
    await budget((await spentSoFar()) + 10_000);
    expect(await askWith({})).toMatchObject({ status: 402, body: { code: "budget_exceeded" } });
    const chosen = await askWith({ maxOutputTokens: 100 });
    expect(settingsOf(chosen.body.run)).toMatchObject({ maxOutputTokens: 100 });
    await studio.ended(chosen.body.run.id);
  });

  it("under a new budget a follow-up reserves the longest answer of the unlimited message before it", async () => {
    await facts({ limits: { outputTokens: 50_000 } });
    const { db } = studio.instance.store;
    await db.updateTable("connection").set({ text_places: 0 }).execute();
    const { conversationId, answer, run: before } = await studio.ask("Tell me a long story.");
    expect(settingsOf(before)).not.toHaveProperty("maxOutputTokens");
    await budget((await spentSoFar()) + before.heldMicros + 10_000_000);
    const ask = { model: studio.models.openai, settings: { maxOutputTokens: 10 } };
    const body = { parentId: answer.id, text: "And then?", ask };
    const said = await studio.person.call<{ run: OwnedRun }>("sendMessage", {
      params: { conversationId },
      body,
    });
    await db.updateTable("connection").set({ text_places: 8 }).execute();
    expect(said.body.run.heldMicros).toBeGreaterThanOrEqual(3 * 50_000 + 15 * 10);
    await studio.ended(said.body.run.id);
  });

  it("a local server's limit is the rest of its context, and the meter reserves only a little of it", async () => {
    await facts({ limits: { contextTokens: 16_000 } });
    const { run } = await studio.ask("How far is the sea?");
    const sent = Number(settingsOf(run).maxOutputTokens);
    expect(sent).toBeGreaterThan(15_900);
    expect(sent).toBeLessThan(16_000);
    await studio.ended(run.id);
    expect((await estimate()).context).toMatchObject({ outputTokens: sent, neededTokens: 1_024 });
    expect((await estimate({ maxOutputTokens: 50 })).context).toMatchObject({
      outputTokens: 50,
      neededTokens: 50,
    });
  });

  it("a retried program's answer gets a fresh limit, not the earlier one", async () => {
    const { instance, models, person } = studio;
    const turns = [{ role: "user" as const, parts: [{ type: "text" as const, text: "How far?" }] }];
    await budget((await spentSoFar()) + 400_000);
    studio.openai.script({ text: "one two three four", fault: { kind: "reset", at: 2 } });
    const asker = { userId: person.user.id };
    const first = await admitTurns(instance.engineDeps, asker, {
      projectId: person.projectId,
      model: models.openai,
      turns,
      settings: {},
    });
    expect(Number(settingsOf(first).maxOutputTokens)).toBeLessThan(8_192);
    expect(await studio.ended(first.id)).toMatchObject({ state: "failed" });
    await studio.instance.store.db.deleteFrom("budget").execute();
    const again = await admitAgain(
      instance.engineDeps,
      asker,
      await studio.runOf(first.id),
      "same",
    );
    expect(settingsOf(again)).not.toHaveProperty("maxOutputTokens");
    await studio.ended(again.id);
  });

  it("an unlimited web search has no bound: a blocking budget requires a ceiling and reserves that", async () => {
    const search = { webSearch: { type: "boolean" } };
    await facts({
      prices: [...tokens, { unit: "web search", micros: "10000" }],
      limits: { contextTokens: 16_000 },
      form: search,
    });
    await budget((await spentSoFar()) + 1_000_000);
    expect(await estimate({ webSearch: true })).toMatchObject({
      mostMicros: null,
      likelyMicros: expect.any(Number),
    });
    expect(await askWith({ webSearch: true })).toMatchObject({ body: { code: "ceiling_needed" } });
    const { connectionId, modelId } = studio.models.openai;
    const setCeiling = (ceilingMicros: number | null) =>
      studio.person.call("setModelPrice", {
        params: { connectionId },
        body: { modelId, ceilingMicros },
      });
    expect(await setCeiling(90_000)).toMatchObject({ status: 200 });
    expect(await estimate({ webSearch: true })).toMatchObject({
      mostMicros: 90_000,
      likelyMicros: expect.any(Number),
    });
    const { body } = await askWith({ webSearch: true });
    expect(body.run).toMatchObject({ heldMicros: 90_000 });
    await studio.ended(body.run.id);
    await setCeiling(null);
    const plain = await askWith({});
    expect(plain.body.run.heldMicros).toBeGreaterThan(0);
    await studio.ended(plain.body.run.id);
  });

  async function spentSoFar(): Promise<number> {
    const { sum } = await studio.instance.store.db
      .selectFrom("ledger_entry")
      .select((e) => e.fn.sum<number | string | null>("micros").as("sum"))
      .executeTakeFirstOrThrow();
    return Number(sum ?? 0);
  }
});
