import { expect, it, onTestFinished } from "vitest";
import type { Run } from "#contract/entities.ts";
import { startFal } from "../../simulators/fal.ts";
import { openCanvas } from "../../support/browser/canvas.ts";
import { forEachDatabase } from "../../support/databases/databases.ts";
import { expectRightBooks } from "../../support/databases/right-books.ts";
import { openStore } from "../../support/databases/test-store.ts";
import { until } from "../../support/server/instance.ts";
import { connectKind, setUpServer } from "../../support/server/server-client.ts";
import { startServer } from "../../support/server/server-process.ts";

forEachDatabase((_, create) => {
  it("kill -9 while somebody draws: the session is closed, usage is booked as an estimate, and the pinned frame stays", async () => {
    const [fal, database] = await Promise.all([startFal(), create()]);
    onTestFinished(() => fal.stop());
    const start = (failpoints?: string) =>
      startServer({
        dataFolder: database.dataFolder,
        env: { ...database.env, ...(failpoints && { BOTTEGA_FAILPOINTS: failpoints }) },
      });
    let server = await start();
    onTestFinished(() => server.kill9());
    let client = await setUpServer(server);
    const model = {
      connectionId: await connectKind(client, "fal", fal.values),
      modelId: "sim/klein/realtime",
    };
    const budget = {
      scope: "instance",
      scopeIds: [null],
      period: "total",
      timeZone: "UTC",
      onLimit: "block",
      limitMicros: 10_000_000,
    };
    expect((await client.call("setBudgets", { body: budget })).status).toBe(200);

    const canvas = await openCanvas(server.url, client.cookie);
    canvas.say({ start: { projectId: client.projectId, model, settings: { prompt: "a boat" } } });
    const { runId } = (await canvas.heard("started")).started;
    canvas.draw({ prompt: "a boat", seed: 3 });
    await canvas.frameCame();
    canvas.say({ pin: { runId, frame: 0 } });
    const { asset } = (await canvas.heard("pinned")).pinned;
    const seconds = await until("what was used is written down", async () => {
      const { body } = await client.call<{ run: Run }>("getRun", { params: { runId } });
      return Number(
        (body.run.usage as { units?: { seconds?: string } } | null)?.units?.seconds ?? 0,
      );
    });
    await server.kill9();

    server = await start();
    client = client.at(server.url);
    const run = await until(
      "the session is closed",
      async () => {
        const { body } = await client.call<{ run: Run }>("getRun", { params: { runId } });
        return body.run.finishedAt !== null && body.run;
      },
      45_000,
    );
    expect(run).toMatchObject({
      state: "failed",
      error: { code: "provider_interrupted", advice: "Try again." },
      heldMicros: 0,
      costBasis: "estimated",
    });
    expect(run.costMicros).toBeGreaterThanOrEqual(seconds * 1_000);
    expect(run.costMicros).toBeLessThan(60_000);
    expect((await client.call("getAsset", { params: { assetId: asset.id } })).body).toMatchObject({
      run: { input: { prompt: "a boat", seed: 3 } },
    });
    // Nothing is sent without a person: only a person starts a session.
    expect(fal.realtime.sessions).toHaveLength(1);

    // Killed before it saved any usage: its cost is unknown, so its reservation is booked.
    await server.stop();
    server = await start("session.running=kill");
    client = client.at(server.url);
    const second = await openCanvas(server.url, client.cookie);
    second.say({ start: { projectId: client.projectId, model, settings: { prompt: "again" } } });
    await server.ended;
    server = await start();
    client = client.at(server.url);
    const runs = await until(
      "both have ended",
      async () => {
        const { body } = await client.call<{ runs: Run[] }>("listRuns", {
          query: { projectId: client.projectId },
        });
        return (
          body.runs.length === 2 && body.runs.every((one) => one.finishedAt !== null) && body.runs
        );
      },
      45_000,
    );
    expect(runs[0]).toMatchObject({
      state: "failed",
      heldMicros: 0,
      costMicros: 60_000,
      costBasis: "held",
    });
    await server.stop();
    const store = openStore(database, { monotonic: () => performance.now() });
    await expectRightBooks(store.db);
    await store.close();
  });
});
