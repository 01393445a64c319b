import { expect, it } from "vitest";
import type { Asset, Run } from "#contract/entities.ts";
import { saveUpload } from "#engine/ingest/upload.ts";
import { getMessage, updateConversation } from "#store/content/conversations.ts";
import { insertMember } from "#store/people/projects.ts";
import { onSqlite } from "../../../support/databases/databases.ts";
import { createStudio } from "../../../support/studio/studio.ts";
import { buildWav } from "../../../support/wav.ts";

const silence = buildWav({
  samples: Buffer.alloc(3_200),
  samplesPerSecond: 8_000,
  channels: 1,
  bits: 16,
});

onSqlite((create) => {
  async function build() {
    const studio = await createStudio(await create(), { endsWithTest: true });
    const { instance, person } = studio;
    const other = await instance.createPerson("grace@example.org");
    await instance.commit(({ tx }) =>
      insertMember(tx, {
        projectId: person.projectId,
        userId: other.user.id,
        role: "editor",
        at: Date.now(),
      }),
    );
    const { connectionId } = studio.models.openai;
    const { conversationId, answer, run } = await studio.ask("say something");
    await studio.ended(run.id);
    const read = async (text: string, idempotencyKey?: string, who = person) =>
      who.call<{ run: Run }>("createReading", {
        params: { messageId: answer.id },
        body: {
          model: { connectionId, modelId: "sim-speech" },
          input: { input: text },
          ...(idempotencyKey && { idempotencyKey }),
        },
      });
    const readings = async (who = person) =>
      (
        await who.call<{ runs: Run[]; assets: Asset[] }>("listReadings", {
          params: { messageId: answer.id },
        })
      ).body;
    const share = (visibility: "author" | "project") =>
      instance.commit((unit) => updateConversation(unit, conversationId, { visibility }));
    return { ...studio, other, connectionId, answer, read, readings, share };
  }

  it("a reading is saved with its answer, and an identical request costs nothing", async () => {
    const studio = await build();
    const before = await getMessage(studio.instance.store.db, studio.answer.id);
    const { body } = await studio.read("The tide is low.", "once");
    const done = await studio.ended(body.run.id);
    expect(done).toMatchObject({
      state: "succeeded",
      task: "speech",
      messageId: studio.answer.id,
      visibility: "author",
      batchId: null,
    });
    expect((await studio.read("The tide is low.", "once")).body.run.id).toBe(body.run.id);
    const { runs, assets } = await studio.readings();
    expect(runs.map(({ id }) => id)).toEqual([body.run.id]);
    expect(assets).toMatchObject([{ runId: body.run.id, kind: "audio", visibility: "author" }]);
    // Reading an answer aloud doesn't change it.
    expect(await getMessage(studio.instance.store.db, studio.answer.id)).toEqual(before);
    expect(studio.openai.posts.filter(({ path }) => path.endsWith("/audio/speech"))).toHaveLength(
      1,
    );
  });

  it("a reading is visible to everyone who sees the conversation, and to nobody else", async () => {
    const studio = await build();
    const { run } = (await studio.read("The tide is low.")).body;
    await studio.ended(run.id);
    const { other } = studio;
    expect(
      (await other.call("listReadings", { params: { messageId: studio.answer.id } })).status,
    ).toBe(404);
    expect((await studio.read("Mine too.", undefined, other)).status).toBe(404);
    expect((await other.call("getRun", { params: { runId: run.id } })).status).toBe(404);
    const feed = await other.call<{ batches: unknown[] }>("listBatches", {
      query: { projectId: studio.person.projectId },
    });
    expect(feed.body.batches).toEqual([]);

    await studio.share("project");
    expect((await studio.readings(other)).runs.map(({ id }) => id)).toEqual([run.id]);
    const own = (await studio.read("Mine too.", undefined, other)).body.run;
    expect(await studio.ended(own.id)).toMatchObject({
      state: "succeeded",
      visibility: "project",
      userId: other.user.id,
    });
    await studio.share("author");
    expect(
      (await other.call("listReadings", { params: { messageId: studio.answer.id } })).status,
    ).toBe(404);
  });

  it("a dictation is its person's alone: the recording, the run and the text", async () => {
    const studio = await build();
    const { instance, person, other, connectionId } = studio;
    const recording = await saveUpload(instance.engineDeps, {
      projectId: person.projectId,
      userId: person.user.id,
      name: "Dictation.wav",
      visibility: "author",
      source: (async function* () {
        yield silence;
      })(),
    });
    const dictate = (who = person) =>
      who.call<{ run: Run }>("createDictation", {
        params: { projectId: person.projectId },
        body: {
          model: { connectionId, modelId: "sim-transcription" },
          input: { file: `asset:${recording.id}` },
        },
      });
    expect((await dictate(other)).status).toBe(404);
    const { run } = (await dictate()).body;
    expect(await studio.ended(run.id)).toMatchObject({
      state: "succeeded",
      visibility: "author",
      task: "transcription",
    });
    const [words] = await studio.assetsOf(run.id);
    expect(words).toMatchObject({ kind: "text", visibility: "author" });
    for (const assetId of [recording.id, words!.id])
      expect((await other.call("getAsset", { params: { assetId } })).status).toBe(404);
    expect((await other.call("getRun", { params: { runId: run.id } })).status).toBe(404);
  });

  it("a per-minute transcription reserves its recording's partial minutes, and no budget requires a ceiling", async () => {
    const { instance, person, connectionId, ended } = await build();
    await instance.store.db
      .updateTable("model")
      .set({ price: JSON.stringify([{ unit: "minute", micros: "6000", source: "test", at: 0 }]) })
      .where("model_id", "=", "sim-transcription")
      .execute();
    const setting = { period: "total", timeZone: "UTC", onLimit: "block", limitMicros: 1_000_000 };
    await person.call("setBudgets", { body: { scope: "instance", scopeIds: [null], ...setting } });
    const upload = (seconds: number) =>
      saveUpload(instance.engineDeps, {
        projectId: person.projectId,
        userId: person.user.id,
        name: `${seconds} s.wav`,
        visibility: "author",
        source: (async function* () {
          yield buildWav({
            samples: Buffer.alloc(seconds * 2_000),
            samplesPerSecond: 1_000,
            channels: 1,
            bits: 16,
          });
        })(),
      });
    const model = { connectionId, modelId: "sim-transcription" };
    const dictate = async (file: string) =>
      (
        await person.call<{ run: Run; code: string }>("createDictation", {
          params: { projectId: person.projectId },
          body: { model, input: { file: `asset:${file}` } },
        })
      ).body;
    const { run } = await dictate((await upload(61)).id);
    expect(run).toMatchObject({ heldMicros: 12_000 });
    expect(await ended(run.id)).toMatchObject({ state: "succeeded" });
    const inCreate = await person.call<{ runs: Run[] }>("createRuns", {
      body: {
        projectId: person.projectId,
        models: [model],
        task: "transcription",
        input: { file: `asset:${(await upload(60)).id}` },
      },
    });
    expect(inCreate.body.runs).toMatchObject([{ heldMicros: 6_000 }]);
    await ended(inCreate.body.runs[0]!.id);
    const unknown = await upload(59);
    await instance.store.db
      .updateTable("asset")
      .set({ duration_ms: null })
      .where("id", "=", unknown.id)
      .execute();
    expect(await dictate(unknown.id)).toMatchObject({ code: "ceiling_needed" });
  });

  it("results in Create from a private file stay private, in the feed too", async () => {
    const { instance, person, other, models, make } = await build();
    const { id } = await saveUpload(instance.engineDeps, {
      projectId: person.projectId,
      userId: person.user.id,
      name: "Mine.wav",
      visibility: "author",
      source: (async function* () {
        yield silence;
      })(),
    });
    const model = { ...models.fal, modelId: "sim/flux/dev/image-to-image" };
    const run = await make("one", { model, input: { image_url: `asset:${id}` } });
    expect(run.visibility).toBe("author");
    const feed = async (who: typeof person) =>
      (
        await who.call<{ batches: unknown[] }>("listBatches", {
          query: { projectId: person.projectId },
        })
      ).body.batches;
    expect(await feed(person)).toHaveLength(1);
    expect(await feed(other)).toEqual([]);
  });

  it("a private run stays private when it is retried", async () => {
    const studio = await build();
    studio.openai.script({ fault: { kind: "status", status: 400 } });
    const { run } = (await studio.read("The tide is low.")).body;
    expect(await studio.ended(run.id)).toMatchObject({ state: "failed" });
    const again = await studio.person.call<{ run: Run }>("tryAgain", { params: { runId: run.id } });
    expect(again.body.run).toMatchObject({
      visibility: "author",
      messageId: studio.answer.id,
      retryOf: run.id,
      batchId: null,
    });
    await studio.ended(again.body.run.id);
  });
});
