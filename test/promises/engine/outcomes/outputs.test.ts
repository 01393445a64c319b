import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { collectBlobs } from "#engine/recover/collect.ts";
import { updateConnection } from "#store/models/connections.ts";
import { onSqlite } from "../../../support/databases/databases.ts";
import { createInstance, until } from "../../../support/server/instance.ts";
import { createStudio, type Studio, testAdapters } from "../../../support/studio/studio.ts";

const hourMs = 60 * 60_000;
const weekMs = 7 * 24 * hourMs;

onSqlite((create) => {
  let studio: Studio;
  let laterMs = 0;
  const clock = { now: () => Date.now() + laterMs, monotonic: () => performance.now() + laterMs };
  beforeAll(async () => {
    studio = await createStudio(await create(), {
      fal: { pace: { by: "time", stepMs: 10 } },
      instance: { outputRetryMs: [10, 10], clock },
    });
  });
  afterAll(() => studio.close());

  const outputsOf = (runId: string) =>
    studio.instance.store.db
      .selectFrom("output")
      .selectAll()
      .where("run_id", "=", runId)
      .orderBy("index")
      .execute();
  const timesAsked = async (runId: string, index = 0) => {
    const path = new URL((await outputsOf(runId))[index]!.remote_url!).pathname;
    return studio.fal.ledger.requests.filter((request) => request === `GET ${path}`).length;
  };
  const untilAsked = (runId: string, times: number) =>
    until(
      `its file was asked for ${times} times`,
      async () => (await outputsOf(runId)).length > 0 && (await timesAsked(runId)) >= times,
    );
  /** Advances the clock; everything due in the skipped time happens once. */
  const pass = async (ms: number, runId: string) => {
    laterMs += ms;
    const { state } = await studio.runOf(runId);
    if (state === "storing") await untilAskedAgain(runId);
  };
  const untilAskedAgain = async (runId: string) => {
    const before = await timesAsked(runId);
    await until(
      "it was tried again, or ended",
      async () =>
        (await timesAsked(runId)) > before + 1 || (await studio.runOf(runId)).state !== "storing",
    );
  };
  const fetchAgain = async (runId: string) =>
    (await studio.person.call("fetchOutputs", { params: { runId } })).body;
  const isWhole = async (runId: string) => {
    const [asset] = await studio.assetsOf(runId);
    const bytes = await studio.bytesOf(asset!.sha256);
    return [...studio.fal.files.values()].some(
      (file) => file.bytes !== null && bytes.equals(file.bytes),
    );
  };

  it.each([
    ["404", "output-404"],
    ["403", "output-403"],
    ["a web page", "output-html"],
    ["words", "output-text"],
  ] as const)(
    "a result whose address answers with %s is retried for an hour, then shown as paid and not retrievable; a later one is saved",
    async (_title, fault) => {
      const prompt = `a lost picture [sim:${fault}]`;
      const run = await studio.make(prompt);
      await untilAsked(run.id, 3);
      await pass(hourMs / 2, run.id);
      expect(await studio.runOf(run.id)).toMatchObject({ state: "storing", costMicros: 25_000 });
      await pass(hourMs, run.id);
      const ended = await studio.ended(run.id);
      expect(ended).toMatchObject({
        state: "failed",
        costMicros: 25_000,
        error: { code: "output_unavailable" },
      });
      expect(await studio.spentOf(run.id)).toMatchObject([{ kind: "spend", micros: 25_000 }]);
      expect(studio.fal.ledger.postsOf(prompt)).toBe(1);
      const detail = (await studio.person.call("getRun", { params: { runId: run.id } })).body;
      expect(detail).toMatchObject({
        assets: [],
        outputs: [{ index: 0, state: "lost", expiresAt: expect.any(Number) }],
      });

      expect(await fetchAgain(run.id)).toMatchObject({
        stored: 0,
        missing: 1,
        reason: expect.any(String),
      });
      studio.fal.mend(prompt);
      expect(await fetchAgain(run.id)).toMatchObject({
        stored: 1,
        missing: 0,
        run: { state: "failed", costMicros: 25_000, warnings: [] },
      });
      expect(await isWhole(run.id)).toBe(true);
      expect(await studio.spentOf(run.id)).toHaveLength(1);
      expect((await studio.person.call("fetchOutputs", { params: { runId: run.id } })).status).toBe(
        409,
      );
    },
  );

  it("a provider that can't give a result now is asked for as long as it stores it, and people are informed an hour before it ends", async () => {
    const prompt = "an endangered picture [sim:output-503]";
    const run = await studio.make(prompt);
    await untilAsked(run.id, 2);
    await pass(weekMs - 2 * hourMs, run.id);
    expect(await studio.runOf(run.id)).toMatchObject({ state: "storing", warnings: [] });
    await pass(hourMs + 60_000, run.id);
    expect(await studio.runOf(run.id)).toMatchObject({
      state: "storing",
      warnings: [{ type: "expiring", feature: "outputs.0" }],
    });
    await pass(10 * 60_000, run.id);
    expect(
      (await studio.events(run.id)).filter(({ type }) => type === "output-expiring"),
    ).toHaveLength(1);
    studio.fal.mend(prompt);
    expect(await studio.ended(run.id)).toMatchObject({
      state: "succeeded",
      costMicros: 25_000,
      warnings: [],
    });
    expect(await isWhole(run.id)).toBe(true);
  });

  it("a result that isn't available before its provider deletes it is paid and not retrievable", async () => {
    const run = await studio.make("a forgotten picture [sim:output-503]");
    await untilAsked(run.id, 2);
    await pass(weekMs, run.id);
    expect(await studio.ended(run.id)).toMatchObject({
      state: "failed",
      costMicros: 25_000,
      error: { code: "output_unavailable" },
    });
  });

  it("a wall clock that jumps a week ahead ends no wait", async () => {
    let jumpMs = 0;
    const own = await createStudio(await create(), {
      endsWithTest: true,
      fal: { pace: { by: "time", stepMs: 10 } },
      instance: {
        outputRetryMs: [10],
        clock: { now: () => Date.now() + jumpMs, monotonic: () => performance.now() },
      },
    });
    const run = await own.make("a patient picture [sim:output-503]");
    const asked = () =>
      own.fal.ledger.requests.filter((request) => request.startsWith("GET /cdn/")).length;
    await until("it is tried", async () => asked() > 2);
    jumpMs = 2 * weekMs;
    const before = asked();
    await until("it is tried on", async () => asked() > before + 3);
    expect((await own.runOf(run.id)).state).toBe("storing");
    own.fal.mend("a patient picture");
    expect((await own.ended(run.id)).state).toBe("succeeded");
  });

  it("a cancel ends a run's wait for its files: it is charged, and the files can still be requested", async () => {
    const prompt = "not worth the wait [sim:output-503]";
    const run = await studio.make(prompt);
    await untilAsked(run.id, 2);
    expect((await studio.runOf(run.id)).state).toBe("storing");
    await studio.person.call("cancelRun", { params: { runId: run.id } });
    expect(await studio.ended(run.id)).toMatchObject({
      state: "failed",
      costMicros: 25_000,
      error: { code: "output_unavailable" },
    });
    studio.fal.mend(prompt);
    expect(await fetchAgain(run.id)).toMatchObject({ stored: 1, missing: 0 });
  });

  it.each([
    ["breaks off at every third", "output-torn", 3],
    ["breaks off, and its server pays no heed to ranges", "output-torn-whole", 3],
    ["is cut in the middle", "output-cut", 2],
    ["comes slowly", "output-slow", 1],
  ] as const)(
    "a result that %s is whole at the end, and received bytes are reused where possible",
    async (_title, fault, asked) => {
      const run = await studio.make(`a picture by pieces, ${fault} [sim:${fault}]`, {
        input: { seed: 7 },
      });
      expect(await studio.ended(run.id)).toMatchObject({ state: "succeeded", warnings: [] });
      expect(await isWhole(run.id)).toBe(true);
      expect(await timesAsked(run.id)).toBe(asked);
    },
  );

  it("a stalled download is aborted and retried, and continues where it was", async () => {
    const own = await createStudio(await create(), {
      endsWithTest: true,
      fal: { pace: { by: "time", stepMs: 10 } },
      instance: { outputRetryMs: [10], outputSilenceMs: 300 },
    });
    const run = await own.make("a picture that falls silent [sim:output-silent]");
    expect(await own.ended(run.id)).toMatchObject({ state: "succeeded", warnings: [] });
    const [asset] = await own.assetsOf(run.id);
    const bytes = await own.bytesOf(asset!.sha256);
    const [file] = [...own.fal.files.values()].filter(
      ({ bytes: made }) => made !== null && bytes.equals(made),
    );
    expect(file?.asked).toBe(3);
  });

  it("a result of an unexpected size is downloaded once more, then saved as it is, with a note", async () => {
    const run = await studio.make("a short picture [sim:output-truncated]");
    expect(await studio.ended(run.id)).toMatchObject({
      state: "succeeded",
      warnings: [{ type: "note", feature: "outputs.0" }],
    });
    expect(await timesAsked(run.id)).toBe(2);
  });

  it("if one of several results can't be downloaded, the others are saved, and the run succeeds with a warning", async () => {
    const run = await studio.make("three pictures [sim:output-404][sim:output-first]", {
      input: { num_images: 3 },
    });
    await untilAsked(run.id, 2);
    await pass(61 * 60_000, run.id);
    const ended = await studio.ended(run.id);
    expect(ended).toMatchObject({
      state: "succeeded",
      error: null,
      warnings: [{ type: "lost", feature: "outputs.0" }],
    });
    expect((await studio.assetsOf(run.id)).map((asset) => asset.outputIndex)).toEqual([1, 2]);
    studio.fal.mend("three pictures");
    expect(await fetchAgain(run.id)).toMatchObject({ stored: 1, run: { warnings: [] } });
    expect((await studio.assetsOf(run.id)).map((asset) => asset.outputIndex).sort()).toEqual([
      0, 1, 2,
    ]);
  });

  it("received files aren't deleted while a run waits for the rest", async () => {
    const prompt = "two of three [sim:output-503][sim:output-first]";
    const stored = (since: number) =>
      studio.instance.store.db
        .selectFrom("blob")
        .select("sha256")
        .where("created_at", ">", since)
        .execute();
    const madeAt = clock.now();
    const run = await studio.make(prompt, { input: { num_images: 3, seed: 99 } });
    await untilAsked(run.id, 2);
    await until("the two others have come", async () => (await stored(madeAt)).length === 2);
    // From here on they are reported as wanted at each wait, as they would be long before an hour
    // has passed.
    const cameAt = clock.now();
    await until(
      "both are said to be still wanted",
      async () => (await stored(cameAt)).length === 2,
    );
    for (let hours = 0; hours < 3; hours++) {
      await pass(hourMs, run.id);
      await collectBlobs(studio.instance.engineDeps);
    }
    const [, second, third] = [
      await timesAsked(run.id, 0),
      await timesAsked(run.id, 1),
      await timesAsked(run.id, 2),
    ];
    expect([second, third]).toEqual([1, 1]);
    studio.fal.mend(prompt);
    await studio.ended(run.id);
    const assets = await studio.assetsOf(run.id);
    expect(assets).toHaveLength(3);
    for (const { sha256 } of assets)
      expect((await studio.bytesOf(sha256)).length).toBeGreaterThan(0);
  });

  it("a run that waits for its files takes none of its connection's places", async () => {
    const { connectionId } = studio.models.fal;
    await studio.instance.commit(({ tx }) =>
      updateConnection(tx, connectionId, { places: { text: 1, media: 1 } }),
    );
    const prompt = "in nobody's way [sim:output-503]";
    const waiting = await studio.make(prompt);
    await untilAsked(waiting.id, 2);
    expect(await studio.ended((await studio.make("behind it")).id)).toMatchObject({
      state: "succeeded",
    });
    expect((await studio.runOf(waiting.id)).state).toBe("storing");
    studio.fal.mend(prompt);
    await studio.ended(waiting.id);
    await studio.instance.commit(({ tx }) =>
      updateConnection(tx, connectionId, { places: { text: 8, media: 8 } }),
    );
  });

  it("after a restart the wait for a result continues, with the same deadline", async () => {
    const database = await create();
    const first = await createStudio(database, {
      endsWithTest: true,
      fal: { pace: { by: "time", stepMs: 10 } },
      instance: { outputRetryMs: [10], clock },
    });
    const prompt = "over a restart [sim:output-503]";
    const run = await first.make(prompt);
    const requests = first.fal.ledger.requests;
    const asked = () => requests.filter((request) => request.startsWith("GET /cdn/")).length;
    await until("it is tried", async () => asked() > 1);
    const results = () =>
      requests.filter(
        (request) => request === `GET /queue/sim/flux/requests/${first.fal.requestIdOf(prompt)}`,
      ).length;
    await first.instance.engine.stop();
    const before = asked();
    const second = await createInstance(database, {
      adapters: testAdapters,
      secrets: first.instance.engineDeps.secrets,
      outputRetryMs: [10],
      clock,
    });
    onTestFinished(() => second.close());
    await until("the next boot tries", async () => asked() > before + 1);
    // The addresses are stored, so a provider that has forgotten the job doesn't matter.
    expect(results()).toBe(1);
    first.fal.mend(prompt);
    expect(await first.ended(run.id)).toMatchObject({ state: "succeeded", costMicros: 25_000 });
    expect(first.fal.ledger.postsOf(prompt)).toBe(1);
  });

  it("a job refused for its content fails as refused and costs nothing", async () => {
    const run = await studio.make("a refused picture [sim:content-policy]");
    expect(await studio.ended(run.id)).toMatchObject({
      state: "failed",
      costMicros: 0,
      error: { code: "provider_rejected" },
    });
  });

  it("an invalid setting that only the provider detects fails with the field's name", async () => {
    const run = await studio.make("a wrong picture [sim:422]");
    expect(await studio.ended(run.id)).toMatchObject({
      state: "failed",
      costMicros: 0,
      error: { code: "provider_invalid_input", field: "seed" },
    });
  });

  it("a result with already stored bytes is a second asset of the same bytes", async () => {
    const [first, second] = await Promise.all([
      studio.make("the same", { input: { seed: 5 } }),
      studio.make("the same", { input: { seed: 5 } }),
    ]);
    await Promise.all([studio.ended(first!.id), studio.ended(second!.id)]);
    const [a] = await studio.assetsOf(first!.id);
    const [b] = await studio.assetsOf(second!.id);
    expect(a!.id).not.toBe(b!.id);
    expect(a!.sha256).toBe(b!.sha256);
  });
});
