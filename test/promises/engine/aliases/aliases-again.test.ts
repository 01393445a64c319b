import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from "vitest";
import { aliasConnectionId } from "#contract/aliases.ts";
import type { ModelRef, Run } from "#contract/entities.ts";
import { admitMessage } from "#engine/admit/admit-chat.ts";
import { admitStandalone } from "#engine/admit/admit-standalone.ts";
import { admitTurns } from "#engine/admit/admit-turns.ts";
import type { Failpoints } from "#engine/failpoints.ts";
import { listMessages, updateConversation } from "#store/content/conversations.ts";
import { getRun } from "#store/runs/runs.ts";
import { onSqlite } from "../../../support/databases/databases.ts";
import { expectRightBooks } from "../../../support/databases/right-books.ts";
import { until } from "../../../support/server/instance.ts";
import { createStudio, type Studio } from "../../../support/studio/studio.ts";

onSqlite((create) => {
  let studio: Studio;
  const named = (name: string): ModelRef => ({ connectionId: aliasConnectionId, modelId: name });
  const asker = () => ({ userId: studio.person.user.id });
  const set = (connectionId: string, change: object) =>
    studio.instance.store.db
      .updateTable("connection")
      .set(change)
      .where("id", "=", connectionId)
      .execute();
  /** Makes an alias skip this service. */
  const pause = ({ connectionId }: ModelRef) => studio.leaveAlone(connectionId);
  const isWell = { status: "ok", text_places: 8, media_places: 8 } as const;
  const cancelled = async (runId: string) => {
    expect((await studio.person.call("cancelRun", { params: { runId } })).status).toBe(200);
    expect((await studio.ended(runId)).state).toBe("cancelled");
  };
  const again = async (runId: string) =>
    (await studio.person.call<{ run: Run }>("tryAgain", { params: { runId } })).body.run;

  beforeAll(async () => {
    studio = await createStudio(await create(), { fal: { pace: { by: "time", stepMs: 10 } } });
    const { ollama, openai, fal, openaiImage } = studio.models;
    for (const body of [
      { name: "house-chat", task: "chat", models: [ollama, openai] },
      { name: "house-image", task: "image", models: [fal, openaiImage] },
    ])
      expect(await studio.person.call("createAlias", { body })).toMatchObject({ status: 200 });
  });
  afterAll(() => studio.close());
  beforeEach(async () => {
    await studio.forgetFailures();
    await studio.instance.store.db.updateTable("connection").set(isWell).execute();
  });

  it("a program's retried answer starts from the whole request", async () => {
    const { ollama, openai } = studio.models;
    await pause(ollama);
    await set(openai.connectionId, { text_places: 0, media_places: 0 });
    const run = await admitTurns(studio.instance.engineDeps, asker(), {
      projectId: studio.person.projectId,
      model: named("house-chat"),
      turns: [{ role: "user", parts: [{ type: "text", text: "what is a quay?" }] }],
      settings: { topK: 7, temperature: 0 },
    });
    expect(run).toMatchObject({
      ...openai,
      input: { settings: { temperature: 0 } },
      warnings: [{ feature: "topK" }],
    });
    await cancelled(run.id);
    await studio.forgetFailures();
    await set(ollama.connectionId, isWell);
    const second = await again(run.id);
    expect(second).toMatchObject({
      alias: "house-chat",
      ...ollama,
      input: { settings: { topK: 7, temperature: 0 } },
      warnings: [],
    });
    expect((await studio.ended(second.id)).state).toBe("succeeded");
  });

  it("a single run's retry starts from the whole request, even after it had moved to the next model", async () => {
    const { fal, openaiImage } = studio.models;
    await set(openaiImage.connectionId, { text_places: 0, media_places: 0 });
    const input = {
      prompt: "[sim:422] a quay",
      image_size: { width: 64, height: 64 },
      num_inference_steps: 4,
      seed: 11,
    };
    const run = await admitStandalone(studio.instance.engineDeps, asker(), {
      projectId: studio.person.projectId,
      visibility: "project",
      messageId: null,
      model: named("house-image"),
      task: "image",
      input,
    });
    expect(run).toMatchObject({ ...fal, input });
    const passed = await until("it waits for the next model", async () => {
      const now = await studio.runOf(run.id);
      return now.connectionId === openaiImage.connectionId && now;
    });
    expect(passed.input).toEqual({ prompt: input.prompt });
    await cancelled(run.id);
    const second = await again(run.id);
    expect(second).toMatchObject({ alias: "house-image", ...fal, input });
    await set(openaiImage.connectionId, isWell);
    await studio.ended(second.id);
  });

  it("a run canceled while its model refuses ends there, without another model or attempt", async () => {
    const { fal, openaiImage } = studio.models;
    await set(fal.connectionId, { text_places: 0, media_places: 0 });
    const { db } = studio.instance.store;
    // The cancel request is written, and the run's worker hasn't seen it.
    const failpoints: Failpoints = {
      has: () => false,
      async at(name) {
        if (name === "attempt.begin")
          await db
            .updateTable("run")
            .set({ cancel_requested_at: 1 })
            .where("state", "=", "submitting")
            .execute();
      },
    };
    Object.assign(studio.instance.engineDeps, { failpoints });
    onTestFinished(() => void Object.assign(studio.instance.engineDeps, { failpoints: undefined }));
    expect(
      (
        await studio.person.call("createAlias", {
          body: { name: "refused", task: "image", models: [openaiImage, fal] },
        })
      ).status,
    ).toBe(200);
    for (const model of [named("refused"), openaiImage]) {
      studio.openai.script({ fault: { kind: "status", status: 429 } });
      const run = await studio.make("a quay nobody wants", { model });
      expect(await studio.ended(run.id)).toMatchObject({
        state: "cancelled",
        costMicros: 0,
        heldMicros: 0,
        attempts: 1,
      });
      expect(await studio.attempts(run.id)).toMatchObject([{ state: "refused" }]);
    }
    await expectRightBooks(db);
  });

  it("an answer that continues after its tools asks its alias with every setting", async () => {
    const { db } = studio.instance.store;
    const { ollama, openai } = studio.models;
    const conversationId = await studio.startConversation();
    const settings = { tools: { models: [], library: true } };
    await studio.instance.commit((unit) => updateConversation(unit, conversationId, { settings }));
    studio.openai.script({
      text: ["I look."],
      toolCalls: [{ name: "search_library", input: { query: "heron" } }],
    });
    await pause(ollama);
    await set(openai.connectionId, { text_places: 0, media_places: 0 });
    const { run } = await admitMessage(studio.instance.engineDeps, asker(), {
      conversationId,
      parentId: null,
      text: "is there a heron?",
      attachments: [],
      ask: { model: named("house-chat"), settings: { topK: 7 } },
    });
    expect(run).toMatchObject({ ...openai, warnings: [{ feature: "topK" }] });
    // Its service is back before the answer requests its tool.
    await studio.forgetFailures();
    await set(ollama.connectionId, isWell);
    await set(openai.connectionId, isWell);
    const next = await until("the answer goes on", async () => {
      const runIds = (await listMessages(db, conversationId)).flatMap(({ role, runId }) =>
        role === "assistant" && runId ? [runId] : [],
      );
      const [, second] = runIds;
      return second !== undefined && (await getRun(db, second));
    });
    expect(next).toMatchObject({
      alias: "house-chat",
      ...ollama,
      input: { settings: { topK: 7 } },
      warnings: [],
    });
    await studio.ended(next.id);
  });
});
