import { expect, it, onTestFinished } from "vitest";
import { admitMessage } from "#engine/admit/admit-chat.ts";
import { admitBatch } from "#engine/admit/admit-media.ts";
import { connect } from "#engine/connections/connect.ts";
import { openai } from "#providers/services/openai/adapter.ts";
import { startOpenAi } from "../../../simulators/openai.ts";
import { onSqlite } from "../../../support/databases/databases.ts";
import { createInstance } from "../../../support/server/instance.ts";
import {
  createStudio,
  type Studio,
  testAdapters,
  textOfMessage,
} from "../../../support/studio/studio.ts";

const adapters = [...testAdapters, openai];

async function connectOpenAi(studio: Studio) {
  const simulator = await startOpenAi();
  onTestFinished(() => simulator.stop());
  const { engine } = studio.instance;
  const values = { key: simulator.key, api: simulator.url };
  const { connection } = await connect(engine.deps, {
    kind: "openai",
    name: "OpenAI",
    scope: "instance",
    userId: studio.person.user.id,
    values,
  });
  const ask = async (text: string, modelId: string, settings = {}) => {
    const conversationId = await studio.startConversation();
    const model = { connectionId: connection.id, modelId };
    const said = {
      conversationId,
      parentId: null,
      text,
      attachments: [],
      ask: { model, settings },
    };
    const { answer, run } = await admitMessage(
      engine.deps,
      { userId: studio.person.user.id },
      said,
    );
    return { answer: answer!, run: run! };
  };
  return { simulator, ask, connectionId: connection.id };
}

onSqlite((create) => {
  it("a background answer is a message like any other at its end", async () => {
    const studio = await createStudio(await create(), {
      endsWithTest: true,
      instance: { adapters },
    });
    const { simulator, ask } = await connectOpenAi(studio);
    simulator.script({ text: ["after", " long", " thought"], reasoning: ["hm"] });
    const { answer, run } = await ask("think", "gpt-5.5", { background: true, webSearch: true });
    expect(await studio.ended(run.id)).toMatchObject({
      state: "succeeded",
      error: null,
      usage: { outputTokens: 3 },
      result: { finishReason: "stop" },
    });
    const message = await studio.messageOf(answer.id);
    expect(message.state).toBe("complete");
    expect(message.parts).toEqual([
      { type: "reasoning", text: "hm" },
      { type: "text", text: "after long thought" },
      { type: "source", title: "What was found", url: "https://example.org/found" },
    ]);
    expect(simulator.posts).toHaveLength(1);
  });

  it("a model that thinks long runs in the background by default, and directly if the person chooses", async () => {
    const studio = await createStudio(await create(), {
      endsWithTest: true,
      instance: { adapters },
    });
    const { simulator, ask } = await connectOpenAi(studio);
    await studio.ended((await ask("think", "gpt-5.5-pro")).run.id);
    await studio.ended((await ask("think", "gpt-5.5-pro", { background: false })).run.id);
    expect(
      simulator.posts.map(({ body }) => (body as { background?: boolean }).background ?? false),
    ).toEqual([true, false]);
  });

  it("a restarted server finds the answer without asking again", async () => {
    const database = await create();
    const studio = await createStudio(database, { endsWithTest: true, instance: { adapters } });
    const { simulator, ask } = await connectOpenAi(studio);
    simulator.script({ text: ["still", " there"], gate: { name: "thought", at: 0 } });
    const { answer, run } = await ask("think", "gpt-5.5-pro");
    await studio.inState(run.id, "running");
    await studio.instance.engine.stop();
    expect(await studio.runOf(run.id)).toMatchObject({ state: "running" });
    const { secrets } = studio.instance.engine.deps;
    await createInstance(database, { adapters, secrets, endsWithTest: true });
    simulator.open("thought");
    expect(await studio.ended(run.id)).toMatchObject({ state: "succeeded" });
    expect(textOfMessage(await studio.messageOf(answer.id))).toBe("still there");
    expect(simulator.posts).toHaveLength(1);
  });

  it("a cancel ends it at the provider, at an unknown price", async () => {
    const studio = await createStudio(await create(), {
      endsWithTest: true,
      instance: { adapters },
    });
    const { simulator, ask } = await connectOpenAi(studio);
    simulator.script({ gate: { name: "thought", at: 0 } });
    const { answer, run } = await ask("think", "gpt-5.5-pro");
    await studio.inState(run.id, "running");
    await studio.person.call("cancelRun", { params: { runId: run.id } });
    expect(await studio.ended(run.id)).toMatchObject({
      state: "cancelled",
      error: null,
      costMicros: null,
    });
    expect((await studio.messageOf(answer.id)).state).toBe("interrupted");
  });

  it("a video is a job whose file opens with the key, priced by its seconds", async () => {
    const studio = await createStudio(await create(), {
      endsWithTest: true,
      instance: { adapters },
    });
    const { simulator, connectionId } = await connectOpenAi(studio);
    const { runs } = await admitBatch(
      studio.instance.engineDeps,
      { userId: studio.person.user.id },
      {
        projectId: studio.person.projectId,
        models: [{ connectionId, modelId: "sora-2" }],
        task: "video",
        input: { prompt: "a fox", duration: "8" },
        variants: 1,
      },
    );
    expect(await studio.ended(runs[0]!.id)).toMatchObject({
      state: "succeeded",
      costMicros: 800_000,
    });
    const [asset] = await studio.assetsOf(runs[0]!.id);
    expect((await studio.bytesOf(asset!.sha256)).subarray(4, 8).toString()).toBe("ftyp");
    expect(simulator.posts).toHaveLength(1);
  });
});
