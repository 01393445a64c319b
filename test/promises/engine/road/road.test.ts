import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { admitBatch } from "#engine/admit/admit-media.ts";
import { forEachDatabase } from "../../../support/databases/databases.ts";
import { shownText } from "../../../support/server/server-client.ts";
import { createStudio, type Studio, textOfMessage } from "../../../support/studio/studio.ts";

forEachDatabase((_, create) => {
  let studio: Studio;
  beforeAll(async () => {
    studio = await createStudio(await create());
  });
  afterAll(() => studio.close());

  it("an answer goes from the question to a complete message, each word durable before the end", async () => {
    studio.openai.script({ text: "A lighthouse stands on a rock.", reasoning: ["hm"] });
    const { run, answer } = await studio.ask("What do you see?");
    const ended = await studio.ended(run.id);
    expect(ended).toMatchObject({ state: "succeeded", error: null, heldMicros: 0 });
    const message = await studio.messageOf(answer.id);
    expect(message.state).toBe("complete");
    expect(textOfMessage(message)).toBe("A lighthouse stands on a rock.");
    const events = await studio.events(run.id);
    expect(shownText(events)).toBe("A lighthouse stands on a rock.");
    expect(events.map((event) => event.seq)).toEqual(events.map((_, i) => i + 1));
    expect(events.at(-1)?.type).toBe("run-settled");
    expect(await studio.attempts(run.id)).toMatchObject([
      { number: 1, state: "ended", httpStatus: 200 },
    ]);
  });

  it("a project's instructions precede the conversation's system prompt, and the run records what was sent", async () => {
    const { projectId, call } = studio.person;
    const instruct = (instructions: string) =>
      call("updateProject", { params: { projectId }, body: { instructions } });
    await instruct("Answer as a printer would.");
    const made = await call("createConversation", {
      body: { projectId, systemPrompt: "Be brief." },
    });
    studio.openai.script({ text: "Ink first." });
    const { run } = await studio.ask("Where to begin?", "openai", {
      conversationId: (made.body.conversation as { id: string }).id,
    });
    await studio.ended(run.id);
    await instruct("");
    const sent = studio.openai.posts.at(-1)?.body as {
      messages: { role: string; content: unknown }[];
    };
    expect(sent.messages[0]).toMatchObject({
      role: "system",
      content: "Answer as a printer would.\n\nBe brief.",
    });
    expect((await studio.runOf(run.id)).input).toMatchObject({
      systemPrompt: "Answer as a printer would.\n\nBe brief.",
    });
  });

  it("an omitted required field is sent and saved with the model's own default", async () => {
    const { projectId, user } = studio.person;
    const models = [{ connectionId: studio.models.openai.connectionId, modelId: "sim-speech" }];
    const ask = {
      projectId,
      models,
      task: "speech" as const,
      input: { input: "Good day" },
      variants: 1,
    };
    const { runs } = await admitBatch(studio.instance.engineDeps, { userId: user.id }, ask);
    expect((await studio.ended(runs[0]!.id)).input).toEqual({ input: "Good day", voice: "alloy" });
    expect(studio.openai.posts.at(-1)?.body).toMatchObject({ input: "Good day", voice: "alloy" });
  });

  it("one schema is sent to each of several models in its own format", async () => {
    const { projectId, user } = studio.person;
    const models = [studio.models.fal, studio.models.openaiImage];
    const ask = {
      projectId,
      models,
      task: "image" as const,
      input: { prompt: "a wide quay" },
      variants: 1,
      shape: "16:9" as const,
    };
    const { runs } = await admitBatch(studio.instance.engineDeps, { userId: user.id }, ask);
    for (const run of runs) await studio.ended(run.id);
    expect(runs.map(({ input }) => input.image_size ?? input.size)).toEqual([
      "landscape_16_9",
      "1536x1024",
    ]);
    expect(studio.openai.posts.at(-1)?.body).toMatchObject({
      prompt: "a wide quay",
      size: "1536x1024",
    });
  });

  it("a job goes through the provider's queue into an asset whose stored bytes have the recorded hash and size", async () => {
    const run = await studio.make("a boat in the fog");
    const ended = await studio.ended(run.id);
    expect(ended).toMatchObject({ state: "succeeded", error: null });
    const [asset] = await studio.assetsOf(run.id);
    expect(asset).toMatchObject({
      runId: run.id,
      outputIndex: 0,
      kind: "image",
      promptText: "a boat in the fog",
    });
    const bytes = await studio.bytesOf(asset!.sha256);
    expect(createHash("sha256").update(bytes).digest("hex")).toBe(asset!.sha256);
    expect(bytes.length).toBe(asset!.bytes);
    expect(
      [...studio.fal.files.values()].some(
        (file) => file.bytes !== null && bytes.equals(file.bytes),
      ),
    ).toBe(true);
    expect(studio.fal.ledger.postsOf("a boat in the fog")).toBe(1);
    const types = (await studio.events(run.id)).map((event) => event.type);
    for (const type of [
      "run-queued",
      "run-started",
      "run-submitted",
      "queue-place",
      "run-running",
      "run-storing",
      "output-stored",
    ])
      expect(types).toContain(type);
  });

  it("a provider's reported price is booked once, and an unreported price is unknown, not zero", async () => {
    studio.openai.script({
      text: "told",
      usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7, cost: 0.001234 },
    });
    const told = await studio.ended((await studio.ask("say the price")).run.id);
    expect(told).toMatchObject({ costMicros: 1_234, usage: { inputTokens: 3, outputTokens: 4 } });
    expect(await studio.spentOf(told.id)).toMatchObject([
      { kind: "spend", micros: 1_234, settlement: told.id },
    ]);

    const silent = await studio.ended((await studio.ask("say no price")).run.id);
    expect(silent).toMatchObject({ state: "succeeded", costMicros: null });
    expect(await studio.spentOf(silent.id)).toEqual([]);

    // One started megapixel, at the price in the models' list.
    const byUnits = await studio.ended((await studio.make("a priced picture")).id);
    expect(byUnits.costMicros).toBe(25_000);
    expect(await studio.spentOf(byUnits.id)).toMatchObject([{ micros: 25_000 }]);

    const free = await studio.ended((await studio.ask("a local word", "ollama")).run.id);
    expect(free).toMatchObject({ state: "succeeded", costMicros: 0 });
  });

  it("an answer that is a file goes into the library with its recipe, in the transaction that ends the run", async () => {
    const run = await studio.make("a drawn house", { model: studio.models.openaiImage });
    expect(await studio.ended(run.id)).toMatchObject({ state: "succeeded" });
    const [asset] = await studio.assetsOf(run.id);
    expect(asset).toMatchObject({
      mime: "image/png",
      width: 64,
      height: 64,
      title: "a drawn house",
    });
    expect(
      createHash("sha256")
        .update(await studio.bytesOf(asset!.sha256))
        .digest("hex"),
    ).toBe(asset!.sha256);
    const outputs = await studio.instance.store.db
      .selectFrom("output")
      .selectAll()
      .where("run_id", "=", run.id)
      .execute();
    expect(outputs).toMatchObject([
      { state: "stored", asset_id: asset!.id, sha256: asset!.sha256 },
    ]);
  });

  it("the results of a conversation's turn are found by search on either database", async () => {
    studio.openai.script({ text: "Der Fluss trägt ein Boot." });
    const { run, conversationId } = await studio.ask("Erzähle");
    await studio.ended(run.id);
    const hits = await studio.person.call("searchConversations", {
      query: { projectId: studio.person.projectId, q: "tragt boo" },
    });
    expect(hits.status).toBe(200);
    expect(
      (hits.body.hits as { conversation: { id: string } }[]).map((hit) => hit.conversation.id),
    ).toEqual([conversationId]);
  });
});
