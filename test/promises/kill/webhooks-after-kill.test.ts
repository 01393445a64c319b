import { expect, it, onTestFinished } from "vitest";
import { startFal } from "../../simulators/fal.ts";
import { forEachDatabase } from "../../support/databases/databases.ts";
import { until } from "../../support/server/instance.ts";
import { connectKind, makeOnServer, setUpServer } from "../../support/server/server-client.ts";
import { startServer } from "../../support/server/server-process.ts";
import { startHookReceiver } from "../../support/studio/hook-receiver.ts";

const small = { image_size: { width: 64, height: 64 } };

forEachDatabase((_, create) => {
  it("kill -9 between a run's end, its delivery and the delivery's record: the next start delivers it, under one ID", async () => {
    const receiver = await startHookReceiver();
    const [fal, database] = await Promise.all([startFal(), create()]);
    onTestFinished(() => fal.stop());
    const start = (failpoints?: string) =>
      startServer({
        dataFolder: database.dataFolder,
        mayEnd: failpoints !== undefined,
        env: { ...database.env, ...(failpoints && { BOTTEGA_FAILPOINTS: failpoints }) },
      });
    let server = await start("settle.committed=kill");
    onTestFinished(() => server.kill9());
    let client = await setUpServer(server);
    const model = {
      connectionId: await connectKind(client, "fal", fal.values),
      modelId: "sim/flux/dev",
    };
    const added = await client.call("addProjectWebhook", {
      params: { projectId: client.projectId },
      body: { url: receiver.url },
    });
    expect(added.status).toBe(200);
    const prompt = "a quay [sim:hold]";
    const run = await makeOnServer(client, model, { prompt, ...small });
    // The caller has its answer; now the run may end, and the server dies with it.
    let isDead = false;
    void server.ended.then(() => (isDead = true));
    await until("the server is killed", async () => {
      fal.release(prompt);
      return isDead;
    });
    expect(receiver.received).toEqual([]);

    server = await start("hook.taken#1=kill");
    await server.ended;
    expect(receiver.received).toHaveLength(1);

    server = await start();
    client = client.at(server.url);
    // Its claim has to expire first, because its claimant may still be alive.
    const told = await until(
      "it is told again",
      async () => receiver.received.length > 1 && receiver.received,
      50_000,
    );
    expect(new Set(told.map(({ id }) => id)).size).toBe(1);
    expect(receiver.told()).toMatchObject([
      { type: "run.succeeded", data: { run: { id: run.id } } },
      { type: "run.succeeded" },
    ]);
    expect(told[1]!.body).toBe(told[0]!.body);
  });
});
