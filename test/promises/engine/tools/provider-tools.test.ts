import { Readable } from "node:stream";
import { expect, it, onTestFinished } from "vitest";
import { admitMessage } from "#engine/admit/admit-chat.ts";
import { findUnbookedCosts } from "#engine/bills/book-usage.ts";
import { connect } from "#engine/connections/connect.ts";
import { continuedParts } from "#engine/follow/saved-answer.ts";
import { saveUpload } from "#engine/ingest/upload.ts";
import { estimateTurn } from "#engine/plan/turn.ts";
import { anthropic } from "#providers/services/anthropic/adapter.ts";
import { openai } from "#providers/services/openai/adapter.ts";
import { findWrongRuns } from "#store/checks/checks.ts";
import { listMessagesToExport } from "#store/content/project-export.ts";
import { getModel } from "#store/models/models.ts";
import { startAnthropic } from "../../../simulators/anthropic.ts";
import { startOpenAi } from "../../../simulators/openai.ts";
import { forEachDatabase, type TestDatabase } from "../../../support/databases/databases.ts";
import { until } from "../../../support/server/instance.ts";
import { createStudio, testAdapters, textOfMessage } from "../../../support/studio/studio.ts";

const adapters = [...testAdapters, openai, anthropic];
const prices = [
  { unit: "input token", micros: "1" },
  { unit: "output token", micros: "2" },
  { unit: "file search", micros: "2500" },
  { unit: "code session", micros: "30000" },
  { unit: "tool picture", micros: "40000" },
].map((price) => ({ ...price, source: "test", at: 0 }));

async function createWorld(database: TestDatabase) {
  const studio = await createStudio(database, { endsWithTest: true, instance: { adapters } });
  const simulator = await startOpenAi();
  onTestFinished(() => simulator.stop());
  const { instance, person } = studio;
  const connectOpenAi = async (): Promise<string> => {
    const { connection } = await connect(instance.engine.deps, {
      kind: "openai",
      name: "OpenAI",
      scope: "instance",
      userId: person.user.id,
      values: { key: simulator.key, api: simulator.url },
    });
    return connection.id;
  };
  const connectionId = await connectOpenAi();
  await instance.store.db
    .updateTable("model")
    .set({ price: JSON.stringify(prices) })
    .where("model_id", "=", "gpt-5.5")
    .execute();
  return {
    ...studio,
    simulator,
    connectionId,
    /** Its models only have prices for their tools. */
    connect: connectOpenAi,
    ask: async (settings: object, askedOf = connectionId, attachments: string[] = []) => {
      const { answer, run } = await admitMessage(
        instance.engine.deps,
        { userId: person.user.id },
        {
          conversationId: await studio.startConversation(),
          parentId: null,
          text: "Draw the boats as a table",
          attachments,
          ask: {
            model: { connectionId: askedOf, modelId: "gpt-5.5" },
            settings: { ...settings },
          },
        },
      );
      return { answer: answer!, run: run! };
    },
  };
}

forEachDatabase((_, create) => {
  it("results of the provider's tools are saved with the answer, shown, and charged by use", async () => {
    const world = await createWorld(await create());
    world.simulator.script({ text: ["Here", " it is"], toolUses: 1 });
    const { answer, run } = await world.ask({ codeInterpreter: true, imageTool: true });
    const ended = await world.ended(run.id);
    expect(ended).toMatchObject({
      state: "succeeded",
      error: null,
      costBasis: "known",
      usage: { units: { "code sessions": "1", "tool pictures": "1" } },
    });
    const { inputTokens = 0, outputTokens = 0 } = ended.usage as {
      inputTokens?: number;
      outputTokens?: number;
    };
    expect(ended.costMicros).toBe(70_000 + inputTokens + 2 * outputTokens);
    const message = await world.messageOf(answer.id);
    expect(textOfMessage(message)).toBe("Here it is");
    expect(JSON.stringify(message.parts)).toContain("print(0)");
    const assets = await world.assetsOf(run.id);
    expect(assets.map(({ mime }) => mime).sort()).toEqual(["image/png", "text/csv"]);
    for (const { id } of assets) expect(JSON.stringify(message.parts)).toContain(id);
  });

  it("under a blocking budget tool uses are limited, and the reservation covers all of them", async () => {
    const world = await createWorld(await create());
    await world.person.call("setBudgets", {
      body: {
        scope: "instance",
        scopeIds: [null],
        period: "total",
        timeZone: "UTC",
        onLimit: "block",
        limitMicros: 100_000_000,
      },
    });
    world.simulator.script({ text: ["three"], toolUses: 9 });
    const { run } = await world.ask({ imageTool: true });
    expect(run.heldMicros).toBeGreaterThanOrEqual(3 * 40_000);
    const ended = await world.ended(run.id);
    expect(ended.usage).toMatchObject({ units: { "tool pictures": "3" } });
    expect(ended.costMicros).toBeLessThanOrEqual(run.heldMicros!);
    expect(world.simulator.posts[0]!.body).toMatchObject({ max_tool_calls: 3 });
  });

  it("a tool without a price makes the cost unknown: the known part is booked, or the whole reservation", async () => {
    const world = await createWorld(await create());
    const { db } = world.instance.store;
    const withoutTool = prices.filter(({ unit }) => unit !== "code session");
    await db
      .updateTable("model")
      .set({ price: JSON.stringify(withoutTool) })
      .where("model_id", "=", "gpt-5.5")
      .execute();
    const ask = async () => {
      world.simulator.script({ text: ["Here"], toolUses: 1 });
      const { run } = await world.ask({ codeInterpreter: true });
      return { run, ended: await world.ended(run.id) };
    };
    const booked = async (runId: string) => {
      const entries = await db
        .selectFrom("ledger_entry")
        .select(["kind", "micros"])
        .where("run_id", "=", runId)
        .where("kind", "not in", ["hold", "release"])
        .execute();
      return entries.reduce((sum, { micros }) => sum + micros, 0);
    };
    const { run, ended } = await ask();
    const { inputTokens = 0, outputTokens = 0 } = ended.usage as {
      inputTokens?: number;
      outputTokens?: number;
    };
    expect(run.heldMicros).toBe(0);
    expect(ended).toMatchObject({ state: "succeeded", costMicros: null, costBasis: null });
    expect(ended.warnings).toMatchObject([{ type: "unpriced", feature: "cost" }]);
    expect(await booked(run.id)).toBe(inputTokens + 2 * outputTokens);
    expect(await findWrongRuns(db)).toEqual([]);
    // A later check of prices and usage adds nothing.
    expect(await findUnbookedCosts(db)).toEqual([]);
    const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);
    const { body: usage } = await world.person.call("getUsage", {
      query: {
        from: dayOf(run.createdAt),
        to: dayOf(ended.finishedAt!),
        projectId: world.person.projectId,
      },
    });
    expect(usage).toMatchObject({
      total: { micros: inputTokens + 2 * outputTokens, unpricedRuns: 1 },
    });
    const setCeiling = (ceilingMicros: number) =>
      world.person.call("setModelPrice", {
        params: { connectionId: world.connectionId },
        body: { modelId: "gpt-5.5", ceilingMicros },
      });
    await setCeiling(500_000);
    const reserved = await ask();
    expect(reserved.run.heldMicros).toBe(500_000);
    expect(reserved.ended).toMatchObject({ costMicros: 500_000, costBasis: "held" });
    // A ceiling exceeded by the tokens alone isn't an upper bound of the cost.
    await setCeiling(1);
    const low = await ask();
    expect(low.run.heldMicros).toBe(1);
    expect(low.ended.costMicros).toBeNull();
    expect(await booked(low.run.id)).toBeGreaterThan(1);
    expect(await findWrongRuns(db)).toEqual([]);
  });

  it("a person's token prices leave the model's tools at the service's price", async () => {
    const world = await createWorld(await create());
    const connectionId = await world.connect();
    const { db } = world.instance.store;
    // A tool's price alone doesn't price an answer.
    expect((await getModel(db, connectionId, "gpt-5.5"))!.prices).toEqual([]);
    await world.person.call("setModelPrice", {
      params: { connectionId },
      body: {
        modelId: "gpt-5.5",
        prices: [
          { unit: "input token", micros: "1" },
          { unit: "output token", micros: "2" },
        ],
      },
    });
    world.simulator.script({ text: ["Here"], toolUses: 1 });
    const { run } = await world.ask({ codeInterpreter: true }, connectionId);
    const ended = await world.ended(run.id);
    const { inputTokens = 0, outputTokens = 0 } = ended.usage as {
      inputTokens?: number;
      outputTokens?: number;
    };
    expect(ended.costMicros).toBe(30_000 + inputTokens + 2 * outputTokens);
    // A price per run is the answer's whole cost.
    await world.person.call("setModelPrice", {
      params: { connectionId },
      body: { modelId: "gpt-5.5", prices: [{ unit: "run", micros: "7" }] },
    });
    world.simulator.script({ text: ["Here"], toolUses: 1 });
    const byRun = await world.ask({ codeInterpreter: true }, connectionId);
    expect((await world.ended(byRun.run.id)).costMicros).toBe(7);
  });

  it("documents are searched in copies that the next question reuses, even documents too long to be read", async () => {
    const world = await createWorld(await create());
    const { instance, person, simulator } = world;
    const upload = (name: string, words: string) =>
      saveUpload(instance.engine.deps, {
        projectId: person.projectId,
        userId: person.user.id,
        visibility: "author",
        name,
        source: Readable.from([Buffer.from(words)]),
      });
    const log = await upload("log.txt", "The dory is 5 m long. ".repeat(250_000));
    const conversationId = await world.startConversation();
    const ask = async (parentId: string | null, attachments: string[], settings: object) => {
      const { answer, run } = await admitMessage(
        instance.engine.deps,
        { userId: person.user.id },
        {
          conversationId,
          parentId,
          text: "How long is the dory?",
          attachments,
          ask: {
            model: { connectionId: world.connectionId, modelId: "gpt-5.5" },
            settings: { ...settings },
          },
        },
      );
      return { answerId: answer!.id, ended: await world.ended(run!.id) };
    };
    await expect(ask(null, [log.id], {})).rejects.toMatchObject({ code: "context_full" });
    const told = await estimateTurn(
      instance.engine.deps,
      { userId: person.user.id },
      {
        projectId: person.projectId,
        conversation: { settings: {}, systemPrompt: "" },
        parentId: null,
        turn: {
          model: { connectionId: world.connectionId, modelId: "gpt-5.5" },
          settings: { fileSearch: true },
        },
        characters: 20,
        bytes: 20,
        assetIds: [log.id],
      },
    );
    expect(told.context).toMatchObject({ uncountedFiles: 0 });
    expect(told.context.inputTokens).toBeLessThan(1_000);
    expect(told.price.likelyMicros).toBeLessThan(20_000);
    const first = await ask(null, [log.id], { fileSearch: true });
    expect(first.ended).toMatchObject({
      state: "succeeded",
      costBasis: "known",
      usage: { units: { "file searches": "1" } },
    });
    const { inputTokens = 0, outputTokens = 0 } = first.ended.usage as {
      inputTokens?: number;
      outputTokens?: number;
    };
    expect(first.ended.costMicros).toBe(2_500 + inputTokens + 2 * outputTokens);
    const { parts } = await world.messageOf(first.answerId);
    expect(parts.filter(({ type }) => type === "source")).toEqual([
      { type: "source", title: log.title, document: log.title, assetId: log.id },
    ]);
    const uploads = () => simulator.requests.filter((line) => line === "POST /v1/files").length;
    const second = await ask(first.answerId, [], { fileSearch: true });
    expect([second.ended.state, uploads()]).toEqual(["succeeded", 1]);
    // Another key, or a deleted store: refused once, then created again.
    simulator.documents.forget();
    const third = await ask(second.answerId, [], { fileSearch: true });
    expect(third.ended).toMatchObject({ state: "succeeded", error: null });
    expect([uploads(), simulator.posts.length]).toEqual([2, 4]);
    const fourth = await ask(third.answerId, [], { fileSearch: true });
    expect(fourth.ended).toMatchObject({ state: "succeeded" });
    expect([uploads(), simulator.posts.length]).toEqual([2, 5]);
    // What OpenAI counted without the document says nothing of a question with it.
    await expect(ask(fourth.answerId, [], {})).rejects.toMatchObject({ code: "context_full" });
    simulator.script({ text: ["It", " is"], fault: { kind: "reset", at: 1 } });
    const torn = await ask(fourth.answerId, [], { fileSearch: true });
    expect(torn.ended).toMatchObject({ state: "failed", usage: { units: { estimated: "yes" } } });
    expect((torn.ended.usage as { inputTokens: number }).inputTokens).toBeLessThan(1_000);
    expect(await findWrongRuns(instance.store.db)).toEqual([]);
  });

  it("a server that loses a run while it uploads its documents sends nothing paid, and the next owner sends it", async () => {
    const world = await createWorld(await create());
    const { instance, person, simulator } = world;
    const { db } = instance.store;
    const document = await saveUpload(instance.engine.deps, {
      projectId: person.projectId,
      userId: person.user.id,
      visibility: "author",
      name: "boats.txt",
      source: Readable.from([Buffer.from("The dory is 5 m long.")]),
    });
    simulator.documents.stall();
    const { run } = await world.ask({ fileSearch: true }, world.connectionId, [document.id]);
    await until("OpenAI indexes the document", async () =>
      simulator.requests.some((line) => line.startsWith("GET /v1/vector_stores/")),
    );
    expect(await world.attempts(run.id)).toMatchObject([{ state: "committed", bytesWritten: 0 }]);
    await db
      .updateTable("run")
      .set((e) => ({ fence: e("fence", "+", 1) }))
      .where("id", "=", run.id)
      .execute();
    simulator.documents.resume();
    expect(await world.ended(run.id)).toMatchObject({ state: "succeeded", costBasis: "known" });
    expect(simulator.posts).toHaveLength(1);
    expect(await world.attempts(run.id)).toMatchObject([{ state: "refused" }, { state: "ended" }]);
    expect(await findWrongRuns(db)).toEqual([]);
  });

  it("in the background they are left out, with a note", async () => {
    const world = await createWorld(await create());
    const { run } = await world.ask({ codeInterpreter: true, background: true });
    const ended = await world.ended(run.id);
    expect(ended.warnings).toMatchObject([{ type: "unsupported", feature: "codeInterpreter" }]);
    expect(world.simulator.posts[0]!.body).not.toHaveProperty("tools");
  });

  it("Claude's code results are saved, priced, exported, and returned only to the connection that ran them", async () => {
    const studio = await createStudio(await create(), {
      endsWithTest: true,
      instance: { adapters },
    });
    const { instance, person } = studio;
    const simulator = await startAnthropic();
    onTestFinished(() => simulator.stop());
    const connectClaude = async (): Promise<string> => {
      const { connection } = await connect(instance.engine.deps, {
        kind: "anthropic",
        name: "Anthropic",
        scope: "instance",
        userId: person.user.id,
        values: { key: simulator.key, api: simulator.url },
      });
      await person.call("setModelPrice", {
        params: { connectionId: connection.id },
        body: {
          modelId: "claude-sim-1",
          prices: [
            { unit: "input token", micros: "1" },
            { unit: "output token", micros: "2" },
          ],
        },
      });
      return connection.id;
    };
    const [first, second] = [await connectClaude(), await connectClaude()];
    const conversationId = await studio.startConversation();
    const ask = async (
      connectionId: string,
      parentId: string | null,
      into: string = conversationId,
    ) => {
      simulator.script({ text: ["Five boats"] });
      const { answer, run } = await admitMessage(
        instance.engine.deps,
        { userId: person.user.id },
        {
          conversationId: into,
          parentId,
          text: "Count the boats",
          attachments: [],
          ask: {
            model: { connectionId, modelId: "claude-sim-1" },
            settings: { codeInterpreter: true },
          },
        },
      );
      return { answerId: answer!.id, ended: await studio.ended(run!.id) };
    };
    const { answerId, ended } = await ask(first, null);
    expect(ended).toMatchObject({
      state: "succeeded",
      usage: { units: { "code sessions": "1" } },
    });
    const { inputTokens = 0, outputTokens = 0 } = ended.usage as {
      inputTokens?: number;
      outputTokens?: number;
    };
    expect(ended.costMicros).toBe(4_167 + inputTokens + 2 * outputTokens);
    const assets = await studio.assetsOf(ended.id);
    expect(assets.map(({ mime, title }) => [mime, title])).toEqual([["text/csv", "table.csv"]]);
    const { parts } = await studio.messageOf(answerId);
    expect(JSON.stringify(parts)).toContain("print(0)");
    const exported = await instance.request(
      `/api/v1/conversations/${conversationId}/export?format=json`,
      { headers: { host: "127.0.0.1", cookie: person.cookie } },
    );
    const file = await exported.text();
    expect(file).toContain("print(0)");
    expect(file).not.toContain("container_sim");
    await ask(first, answerId);
    expect(simulator.posts[1]!.body).toMatchObject({ container: "container_sim" });
    expect(JSON.stringify(simulator.posts[1]!.body)).toContain("server_tool_use");
    // Its container may expire early: the question is sent again without it.
    simulator.script({
      fault: {
        kind: "status",
        status: 404,
        body: {
          type: "error",
          error: { type: "not_found_error", message: "Container container_sim was not found." },
        },
      },
    });
    const gone = await ask(first, answerId);
    expect(gone.ended).toMatchObject({ state: "succeeded", error: null });
    expect(simulator.posts[2]!.body).toHaveProperty("container");
    expect(simulator.posts[3]!.body).not.toHaveProperty("container");
    simulator.posts.splice(2, 2);
    // A 500 of the API's own may mean the same. It isn't repeated, and a person's retry, here in the
    // same conversation, is sent without the container.
    const again = await ask(first, gone.answerId);
    expect(simulator.posts[2]!.body).toMatchObject({ container: "container_sim" });
    simulator.script({
      fault: {
        kind: "status",
        status: 500,
        body: { type: "error", error: { type: "api_error", message: "Internal server error" } },
      },
    });
    const failed = await ask(first, again.answerId);
    expect(failed.ended).toMatchObject({
      state: "failed",
      attempts: 1,
      costMicros: 0,
      costBasis: "assumed",
    });
    expect(simulator.posts[3]!.body).toHaveProperty("container");
    expect((await ask(first, again.answerId)).ended).toMatchObject({ state: "succeeded" });
    expect(simulator.posts[4]!.body).not.toHaveProperty("container");
    expect(simulator.posts).toHaveLength(5);
    simulator.posts.splice(2, 3);
    await ask(second, answerId);
    expect(simulator.posts[2]!.body).not.toHaveProperty("container");
    expect(JSON.stringify(simulator.posts[2]!.body)).not.toContain("server_tool_use");
    // The container's later contents belong neither to the fork nor to a new owner of the project.
    const { body: forked } = await person.call<{
      conversation: { id: string; headMessageId: string };
    }>("forkConversation", { params: { messageId: answerId }, body: {} });
    await ask(first, forked.conversation.headMessageId, forked.conversation.id);
    expect(simulator.posts[3]!.body).not.toHaveProperty("container");
    const continued = async (continueFrom: string) =>
      (await continuedParts(instance.engineDeps, { input: { continueFrom } })).map(
        ({ type }) => type,
      );
    expect(await continued(answerId)).toContain("tool-record");
    expect(await continued(forked.conversation.headMessageId)).not.toContain("tool-record");
    const leaving = await listMessagesToExport(
      instance.store.read,
      { projectId: person.projectId, userId: person.user.id, lastId: "\u{10ffff}" },
      "",
    );
    expect(JSON.stringify(leaving.rows)).toContain("print(0)");
    expect(JSON.stringify(leaving.rows)).not.toContain("container_sim");
  });
});
