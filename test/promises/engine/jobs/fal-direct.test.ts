import { expect, it } from "vitest";
import { onSqlite, type TestDatabase } from "../../../support/databases/databases.ts";
import { createInstance, until } from "../../../support/server/instance.ts";
import { createStudio, type Studio, testAdapters } from "../../../support/studio/studio.ts";

onSqlite((create) => {
  async function createDirect(maySign = true): Promise<{ studio: Studio; database: TestDatabase }> {
    const database = await create();
    const studio = await createStudio(database, { endsWithTest: true, fal: { maySign } });
    await studio.instance.engine.changeConnection(studio.models.fal.connectionId, {
      values: { runs: "direct" },
    });
    return { studio, database };
  }

  /** Holds stored data before its first byte is written, until `goOn`. */
  function holdStoring(studio: Studio) {
    const { blobs } = studio.instance.engine.deps;
    const put = blobs.put.bind(blobs);
    const began = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    blobs.put = async (...args) => {
      began.resolve();
      await held.promise;
      return put(...args);
    };
    return { began: began.promise, goOn: held.resolve };
  }

  it("a fal connection that runs directly sends one POST to the run address and saves its answer with files, facts and cost", async () => {
    const { studio } = await createDirect();
    const direct = await studio.ended((await studio.make("at once")).id);
    await studio.instance.engine.changeConnection(studio.models.fal.connectionId, {
      values: { runs: "" },
    });
    const queued = await studio.ended((await studio.make("through the queue")).id);
    expect(studio.fal.ledger.posts.map(({ door, prompt }) => [door, prompt])).toEqual([
      ["run", "at once"],
      ["queue", "through the queue"],
    ]);
    expect(direct).toMatchObject({
      state: "succeeded",
      costMicros: queued.costMicros,
      usage: queued.usage,
    });
    expect(direct.costMicros).toBeGreaterThan(0);
    expect(Object.keys(direct.result ?? {})).toEqual(Object.keys(queued.result ?? {}));
    const [[asset], [other]] = [await studio.assetsOf(direct.id), await studio.assetsOf(queued.id)];
    expect(asset).toMatchObject({ mime: other!.mime, width: 64, height: 64 });
    expect((await studio.bytesOf(asset!.sha256)).length).toBe(asset!.bytes);
    // The bill names the run by this id.
    const requestId = studio.fal.requestIdOf("at once");
    expect(await studio.attempts(direct.id)).toMatchObject([{ providerRequestId: requestId }]);
  });

  it("a lost direct answer leaves the run unconfirmed, and isn't requested again", async () => {
    const { studio } = await createDirect();
    const lost = await studio.ended((await studio.make("[sim:lost-reply]")).id);
    expect(lost).toMatchObject({ state: "unconfirmed", costMicros: null });
    expect(studio.fal.ledger.postsOf("[sim:lost-reply]")).toBe(1);
  });

  it.each([true, false])(
    "a cancel while a direct answer is being saved doesn't lose the paid result (the key may sign: %s)",
    async (maySign) => {
      const { studio } = await createDirect(maySign);
      const storing = holdStoring(studio);
      const run = await studio.make("paid");
      await storing.began;
      await studio.person.call("cancelRun", { params: { runId: run.id } });
      storing.goOn();
      expect(await studio.ended(run.id)).toMatchObject({ state: "succeeded" });
      expect(await studio.assetsOf(run.id)).toHaveLength(1);
    },
  );

  it.each([true, false])(
    "a crash while a direct answer is being saved loses neither files nor facts (the key may sign: %s)",
    async (maySign) => {
      const { studio, database } = await createDirect(maySign);
      const storing = holdStoring(studio);
      const run = await studio.make("paid");
      await storing.began;
      // Like after kill -9: another boot on the same database, while the first never writes again.
      const next = await createInstance(database, {
        adapters: testAdapters,
        start: false,
        secrets: studio.instance.engineDeps.secrets,
      });
      try {
        await next.store.write((tx) => tx.deleteFrom("worker").execute());
        await next.engine.start();
        const ended = await until("the next boot ends the run", async () => {
          const now = await studio.runOf(run.id);
          return now.finishedAt !== null && now;
        });
        expect(ended).toMatchObject({
          state: "succeeded",
          costMicros: expect.any(Number),
          result: { images: [{ output: 0 }] },
        });
        expect(await studio.assetsOf(run.id)).toHaveLength(1);
        expect(studio.fal.ledger.postsOf("paid")).toBe(1);
      } finally {
        storing.goOn();
        await next.close();
      }
    },
  );
});
