import { expect, it } from "vitest";
import { updateConnection } from "#store/models/connections.ts";
import { forEachDatabase } from "../../../support/databases/databases.ts";
import { createStudio, textOfMessage } from "../../../support/studio/studio.ts";

forEachDatabase((_, create) => {
  it("bytes received with an answer are saved if the server stops while storing them", async () => {
    const studio = await createStudio(await create(), { endsWithTest: true });
    const { blobs } = studio.instance.engine.deps;
    const put = blobs.put.bind(blobs);
    const began = Promise.withResolvers<void>();
    const mayGoOn = Promise.withResolvers<void>();
    blobs.put = async (...args) => {
      began.resolve();
      await mayGoOn.promise;
      return put(...args);
    };
    const run = await studio.make("paid for", { model: studio.models.openaiImage });
    await began.promise;
    const stopped = studio.instance.engine.stop();
    mayGoOn.resolve();
    await stopped;
    expect(await studio.runOf(run.id)).toMatchObject({ state: "succeeded" });
    const [asset] = await studio.assetsOf(run.id);
    expect((await studio.bytesOf(asset!.sha256)).length).toBe(asset!.bytes);
  });

  it("a stopping server waits for a picture in progress and saves it", async () => {
    const studio = await createStudio(await create(), { endsWithTest: true });
    studio.openai.script({ gate: { name: "made", at: "head" } });
    const run = await studio.make("nearly there", { model: studio.models.openaiImage });
    await studio.openai.reached("made");
    const stopped = studio.instance.engine.stop();
    studio.openai.open("made");
    await stopped;
    expect(await studio.runOf(run.id)).toMatchObject({ state: "succeeded" });
    expect(await studio.assetsOf(run.id)).toHaveLength(1);
  });

  it("a drain lets pictures and answers in flight end, and starts nothing requested meanwhile", async () => {
    const studio = await createStudio(await create(), { endsWithTest: true });
    const { engine } = studio.instance;
    studio.openai.script({ gate: { name: "picture", at: "head" } });
    const picture = await studio.make("in flight", { model: studio.models.openaiImage });
    await studio.openai.reached("picture");
    studio.openai.script({ text: "one two three", gate: { name: "words", at: 2 } });
    const answer = await studio.ask("in mid-stream");
    await studio.openai.reached("words");
    let hasDrained = false;
    const drained = engine.drain(new AbortController().signal).then(() => {
      hasDrained = true;
    });
    const later = await studio.ask("asked while it stops");
    studio.openai.open("picture");
    await studio.inState(picture.id, "succeeded");
    expect(hasDrained).toBe(false);
    studio.openai.open("words");
    await drained;
    expect(await studio.runOf(answer.run.id)).toMatchObject({ state: "succeeded" });
    expect(textOfMessage(await studio.messageOf(answer.answer.id))).toBe("one two three");
    expect(await studio.runOf(later.run.id)).toMatchObject({ state: "queued", attempts: 0 });
  });

  it("a drain doesn't wait for a job that its provider knows, and ends when its time is over", async () => {
    const studio = await createStudio(await create(), { endsWithTest: true });
    const { engine } = studio.instance;
    const job = await studio.make("long [sim:hold]");
    await studio.inState(job.id, "running");
    await engine.drain(new AbortController().signal);
    expect(await studio.runOf(job.id)).toMatchObject({ state: "running" });
    const other = await createStudio(await create(), { endsWithTest: true });
    other.openai.script({ gate: { name: "never", at: "head" } });
    await other.make("too long", { model: other.models.openaiImage });
    await other.openai.reached("never");
    await other.instance.engine.drain(AbortSignal.timeout(10));
    expect(other.instance.engine.running()).toBe(1);
  });

  it("a run being claimed when the server stops returns to the queue, unsent", async () => {
    const studio = await createStudio(await create(), { endsWithTest: true });
    const { engine } = studio.instance;
    const { connectionId } = studio.models.fal;
    await studio.instance.commit(({ tx }) =>
      updateConnection(tx, connectionId, { places: { text: 0, media: 0 } }),
    );
    const { commit } = engine.deps;
    const claimed = Promise.withResolvers<void>();
    const told = Promise.withResolvers<void>();
    engine.deps.commit = async (unit) => {
      const value = await commit(unit);
      if (!Array.isArray(value) || !value[0]?.clientToken) return value;
      claimed.resolve();
      await told.promise;
      return value;
    };
    const ids: string[] = [];
    for (let i = 0; i < 16; i++) ids.push((await studio.make(`not yet ${i}`)).id);
    await commit(({ tx }) =>
      updateConnection(tx, connectionId, { places: { text: 16, media: 16 } }),
    );
    await claimed.promise;
    const stopped = engine.stop();
    told.resolve();
    await stopped;
    expect(engine.running()).toBe(0);
    expect(new Set((await Promise.all(ids.map(studio.runOf))).map(({ state }) => state))).toEqual(
      new Set(["queued"]),
    );
    expect(studio.fal.ledger.posts).toEqual([]);
  });

  it("a canceled job that continues anyway is released when the server stops", async () => {
    const studio = await createStudio(await create(), { endsWithTest: true });
    const run = await studio.make("unstoppable [sim:hold]");
    await studio.inState(run.id, "running");
    await studio.person.call("cancelRun", { params: { runId: run.id } });
    await studio.instance.engine.stop();
    expect(studio.instance.engine.running()).toBe(0);
    expect(await studio.runOf(run.id)).toMatchObject({ state: "running" });
  });
});
