import { afterAll, beforeAll, expect, it } from "vitest";
import { updateConnection } from "#store/models/connections.ts";
import { forEachDatabase } from "../../../support/databases/databases.ts";
import { createStudio, type Studio } from "../../../support/studio/studio.ts";

forEachDatabase((_, create) => {
  let studio: Studio;
  beforeAll(async () => {
    studio = await createStudio(await create());
  });
  afterAll(() => studio.close());

  /** A run's ledger entries, by kind. */
  async function booksOf(runId: string): Promise<Record<string, number>> {
    const entries = await studio.ledgerOf(runId);
    return Object.fromEntries(entries.map(({ kind, micros }) => [kind, Number(micros)]));
  }
  const pricesOf = (input: string, output: string): string => {
    const price = (unit: string, micros: string) => ({ unit, micros, source: "test", at: 0 });
    return JSON.stringify([price("input token", input), price("output token", output)]);
  };
  const priceTokens = (modelId: string, input: string, output: string) => {
    const prices = pricesOf(input, output);
    return studio.instance.store.db
      .updateTable("model")
      .set({ price: prices })
      .where("model_id", "=", modelId)
      .execute();
  };

  it("a run reserves its maximum cost at admission, and releases the rest at settlement", async () => {
    const run = await studio.make("held [sim:hold]", {
      input: { image_size: { width: 1_000, height: 500 } },
    });
    expect(run.heldMicros).toBe(25_000);
    await studio.inState(run.id, "running");
    expect(await booksOf(run.id)).toEqual({ hold: 25_000 });
    studio.fal.release("held [sim:hold]");
    expect(await studio.ended(run.id)).toMatchObject({
      state: "succeeded",
      heldMicros: 0,
      costMicros: 25_000,
    });
    expect(await booksOf(run.id)).toEqual({ hold: 25_000, release: -25_000, spend: 25_000 });
  });

  it("a canceled queued run releases everything, and an unconfirmed one stays reserved until a person decides", async () => {
    const { connectionId } = studio.models.fal;
    await studio.instance.commit(({ tx }) =>
      updateConnection(tx, connectionId, { places: { text: 0, media: 0 } }),
    );
    const queued = await studio.make("never sent");
    await studio.person.call("cancelRun", { params: { runId: queued.id } });
    expect(await booksOf(queued.id)).toEqual({ hold: 25_000, release: -25_000, spend: 0 });
    await studio.instance.commit(({ tx }) =>
      updateConnection(tx, connectionId, { places: { text: 8, media: 8 } }),
    );
    const lost = await studio.make("[sim:lost-reply]");
    expect(await studio.ended(lost.id)).toMatchObject({ state: "unconfirmed", heldMicros: 25_000 });
    expect(await booksOf(lost.id)).toEqual({ hold: 25_000 });
    await studio.person.call("resolveRun", {
      params: { runId: lost.id },
      body: { outcome: "not-made" },
    });
    expect(await booksOf(lost.id)).toEqual({ hold: 25_000, release: -25_000, spend: 0 });
  });

  it("an answer reserves all that the model will read and up to our limit of output, and costs what was counted", async () => {
    await priceTokens("sim-chat", "3", "15");
    studio.openai.script({
      text: "Short.",
      usage: { prompt_tokens: 40, completion_tokens: 2, total_tokens: 42 },
    });
    const { run, conversationId, answer } = await studio.ask(
      "How long is a piece of string? \u{1F9F5}",
    );
    expect(run.heldMicros).toBeGreaterThanOrEqual(15 * 8_192 + 3 * 35);
    expect(run.heldMicros).toBeLessThan(15 * 8_192 + 3 * 200);
    expect(await studio.ended(run.id)).toMatchObject({ costMicros: 150, heldMicros: 0 });
    const said = await studio.person.call<{ run: { id: string; heldMicros: number } }>(
      "sendMessage",
      {
        params: { conversationId },
        body: {
          parentId: answer.id,
          text: "x".repeat(10_000),
          ask: { model: studio.models.openai, settings: { maxOutputTokens: 10 } },
        },
      },
    );
    expect(said.body.run.heldMicros).toBeGreaterThanOrEqual(3 * 10_000 + 15 * 10);
    expect(said.body.run.heldMicros).toBeLessThan(3 * 10_300 + 15 * 10);
    await studio.ended(said.body.run.id);
  });

  it("the estimate while typing equals the reservation on sending, and the likely cost is lower", async () => {
    await priceTokens("sim-chat", "3", "15");
    const { conversationId, answer, run } = await studio.ask("Tell me of tides.");
    await studio.ended(run.id);
    const text = "And of springs and neaps? \u{1F30A}";
    const settings = { maxOutputTokens: 100 };
    const { body: estimate } = await studio.person.call<{
      likelyMicros: number;
      mostMicros: number;
    }>("estimateAnswer", {
      params: { projectId: studio.person.projectId },
      body: {
        model: studio.models.openai,
        settings,
        conversationId,
        parentId: answer.id,
        characters: text.length,
        bytes: Buffer.byteLength(text),
      },
    });
    const said = await studio.person.call<{ run: { id: string; heldMicros: number } }>(
      "sendMessage",
      {
        params: { conversationId },
        body: { parentId: answer.id, text, ask: { model: studio.models.openai, settings } },
      },
    );
    expect(estimate.mostMicros).toBe(said.body.run.heldMicros);
    expect(estimate.likelyMicros).toBeGreaterThan(0);
    expect(estimate.likelyMicros).toBeLessThan(estimate.mostMicros);
    await studio.ended(said.body.run.id);
  });

  it("the estimate includes the system prompt, tools and schema, even before its conversation exists", async () => {
    await priceTokens("sim-chat", "3", "15");
    const { person, models } = studio;
    const text = "What is in my library?";
    const settings = { tools: { models: [], library: true } };
    const systemPrompt = "Be brief.";
    const made = await person.call<{ conversation: { id: string } }>("createConversation", {
      body: { projectId: person.projectId, systemPrompt, settings },
    });
    const conversationId = made.body.conversation.id;
    const asked = { model: models.openai, settings: { maxOutputTokens: 100 } };
    const foretell = async (where: object, typed: string) =>
      (
        await person.call<{ mostMicros: number }>("estimateAnswer", {
          params: { projectId: person.projectId },
          body: { ...asked, ...where, characters: typed.length, bytes: Buffer.byteLength(typed) },
        })
      ).body.mostMicros;
    const before = await foretell({ conversationSettings: settings }, `${systemPrompt}${text}`);
    const within = await foretell({ conversationId }, text);
    const said = await person.call<{ run: { id: string; heldMicros: number } }>("sendMessage", {
      params: { conversationId },
      body: { parentId: null, text, ask: asked },
    });
    expect(within).toBe(said.body.run.heldMicros);
    // The prompt still being typed counts as one message with the text.
    expect(Math.abs(before - within)).toBeLessThanOrEqual(3 * 16);
    expect(within).toBeGreaterThan(3 * 500 + 15 * 100);
    await studio.ended(said.body.run.id);
  });

  it("the estimate for an answer with tools and a schema is the reservation, also for a ceiling without a known price", async () => {
    const { person, models } = studio;
    const ceilingMicros = 700_000;
    const { connectionId, modelId } = models.openai;
    const limit = (micros: number | null) =>
      person.call("setModelPrice", {
        params: { connectionId },
        body: { modelId, ceilingMicros: micros },
      });
    const priced = (price: string) =>
      studio.instance.store.db
        .updateTable("model")
        .set({ price })
        .where("model_id", "=", modelId)
        .execute();
    expect((await limit(ceilingMicros)).status).toBe(200);
    const schema = {
      type: "object",
      properties: { title: { type: "string" } },
      required: ["title"],
      additionalProperties: false,
    };
    const settings = { tools: { models: [], library: true }, shape: { schema } };
    for (const prices of ["[]", pricesOf("3", "15")]) {
      await priced(prices);
      const made = await person.call<{ conversation: { id: string } }>("createConversation", {
        body: { projectId: person.projectId, systemPrompt: "Be brief.", settings },
      });
      const conversationId = made.body.conversation.id;
      const text = "What is new?";
      const asked = { model: models.openai, settings: {} };
      const { body: foretold } = await person.call<{ mostMicros: number }>("estimateAnswer", {
        params: { projectId: person.projectId },
        body: { ...asked, conversationId, characters: text.length, bytes: text.length },
      });
      const said = await person.call<{ run: { id: string; heldMicros: number } }>("sendMessage", {
        params: { conversationId },
        body: { parentId: null, text, ask: asked },
      });
      expect(foretold.mostMicros).toBe(said.body.run.heldMicros);
      expect(foretold.mostMicros).toBeGreaterThan(0);
      await studio.ended(said.body.run.id);
    }
    await limit(null);
  });

  it("a cost above the reservation is booked as overage, and the run costs the sum", async () => {
    await priceTokens("sim-chat", "3", "15");
    studio.openai.script({
      text: "Dear.",
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2, cost: 0.5 },
    });
    const { run } = await studio.ask("What if you are dearer?");
    expect(await studio.ended(run.id)).toMatchObject({ costMicros: 500_000 });
    const held = run.heldMicros;
    expect(await booksOf(run.id)).toEqual({
      hold: held,
      release: -held,
      spend: held,
      overage: 500_000 - held,
    });
  });

  it("a torn answer costs about what was sent and received, marked as an estimate", async () => {
    await priceTokens("sim-chat", "3", "15");
    studio.openai.script({ text: "one two three four five six", fault: { kind: "reset", at: 4 } });
    const { run } = await studio.ask("x".repeat(400));
    const ended = await studio.ended(run.id);
    expect(ended).toMatchObject({
      state: "failed",
      costBasis: "estimated",
      usage: { inputTokens: 100, units: { estimated: "yes" } },
    });
    expect(ended.costMicros).toBe(300 + 15 * Number(ended.usage?.outputTokens));
    expect(ended.usage?.outputTokens).toBeGreaterThan(2);
    expect(await booksOf(run.id)).toEqual({
      hold: run.heldMicros,
      release: -run.heldMicros,
      spend: ended.costMicros,
    });
  });

  it("nothing is reserved or invented if the price is unknown", async () => {
    const { run } = await studio.ask("what do you cost?", "ollama");
    expect(run.heldMicros).toBe(0);
    await studio.ended(run.id);
    expect(await booksOf(run.id)).not.toHaveProperty("hold");
  });
});
