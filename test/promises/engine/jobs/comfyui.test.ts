import { expect, it, onTestFinished } from "vitest";
import type { JsonObject } from "#contract/json.ts";
import { admitBatch } from "#engine/admit/admit-media.ts";
import { checkConnection } from "#engine/connections/catalogue.ts";
import { connect } from "#engine/connections/connect.ts";
import { connectDiscovered, discover } from "#engine/connections/discover.ts";
import {
  addWorkflow,
  listWorkflows,
  removeWorkflow,
  replaceWorkflow,
} from "#engine/connections/workflows.ts";
import { comfyui } from "#providers/services/comfyui/adapter.ts";
import { imageToImage, textToImage } from "../../../simulators/comfyui/workflows.ts";
import { startComfy } from "../../../simulators/comfyui.ts";
import { onSqlite, type TestDatabase } from "../../../support/databases/databases.ts";
import { until } from "../../../support/server/instance.ts";
import {
  connectKind,
  makeOnServer,
  runEnds,
  runOnServer,
  setUpServer,
} from "../../../support/server/server-client.ts";
import { startServer } from "../../../support/server/server-process.ts";
import { createStudio, testAdapters } from "../../../support/studio/studio.ts";

const asText = (graph: unknown) => JSON.stringify(graph);

/** A studio with a ComfyUI and one workflow on it. */
async function createComfyStudio(database: TestDatabase) {
  const comfy = await startComfy();
  onTestFinished(() => comfy.stop());
  const studio = await createStudio(database, {
    endsWithTest: true,
    instance: { adapters: [...testAdapters, comfyui] },
  });
  const { engine } = studio.instance;
  const userId = studio.person.user.id;
  // Several at a time, so that its own queue has something to hold.
  const values = { address: comfy.url, mediaPlaces: 4 };
  const { connection } = await connect(engine.deps, {
    kind: "comfyui",
    name: "ComfyUI",
    scope: "instance",
    userId,
    values,
  });
  const wish = { connectionId: connection.id, userId };
  await addWorkflow(engine.deps, { ...wish, name: "Text to picture", text: asText(textToImage()) });
  const model = { connectionId: connection.id, modelId: "text-to-picture" };
  return {
    ...studio,
    engine,
    comfy,
    wish,
    model,
    makeOn: (prompt: string, input: JsonObject = {}) => studio.make(prompt, { model, input }),
  };
}

onSqlite((create) => {
  it("a server on the usual port is detected, and connected with one click", async () => {
    const studio = await createComfyStudio(await create());
    const server = await startComfy({ port: 8188 });
    onTestFinished(() => server.stop());
    const found = await discover(studio.engine.deps, {});
    expect(found).toContainEqual({
      take: "local:ComfyUI",
      kind: "comfyui",
      name: "ComfyUI",
      detail: "answers at http://127.0.0.1:8188",
    });
    const { message } = await connectDiscovered(
      studio.engine.deps,
      {},
      "local:ComfyUI",
      studio.person.user.id,
    );
    expect(message).toMatch(/^ComfyUI 0\.38\.1 on cuda:0/);
  });

  it("a workflow is run with its place, steps and previews, its picture is an asset, and it cost nothing", async () => {
    const studio = await createComfyStudio(await create());
    const run = await studio.makeOn("a lighthouse [sim:hold]", { steps: 3 });
    // Seen running: from here on its frames arrive one by one, and no poll that finds it done skips
    // one.
    await studio.inState(run.id, "running");
    studio.comfy.release("a lighthouse");
    expect(await studio.ended(run.id)).toMatchObject({
      state: "succeeded",
      costMicros: 0,
      heldMicros: 0,
    });
    const [asset] = await studio.assetsOf(run.id);
    expect(asset).toMatchObject({
      mime: "image/png",
      width: 64,
      height: 64,
      promptText: "a lighthouse [sim:hold]",
    });
    const events = await studio.events(run.id);
    const types = new Set(events.map(({ type }) => type));
    for (const type of [
      "run-submitted",
      "run-running",
      "progress",
      "preview",
      "log",
      "run-storing",
    ])
      expect(types).toContain(type);
    expect(events.findLast(({ type }) => type === "progress")?.payload).toEqual({
      done: 3,
      total: 3,
      label: "KSampler",
    });
    expect(studio.comfy.ledger.postsOf("a lighthouse")).toBe(1);
    // The seed is in the recipe, so making it again gives the same result.
    expect(typeof (await studio.runOf(run.id)).input.seed).toBe("number");
  });

  it("a library picture goes into a workflow that takes one", async () => {
    const studio = await createComfyStudio(await create());
    await addWorkflow(studio.engine.deps, {
      ...studio.wish,
      name: "In winter",
      text: asText(imageToImage()),
    });
    const first = await studio.makeOn("a harbour");
    await studio.ended(first.id);
    const [picture] = await studio.assetsOf(first.id);
    const model = { ...studio.model, modelId: "in-winter" };
    const { runs } = await admitBatch(
      studio.engine.deps,
      { userId: studio.person.user.id },
      {
        projectId: studio.person.projectId,
        models: [model],
        task: "edit",
        input: { prompt: "in snow", image: `asset:${picture!.id}` },
        variants: 1,
      },
    );
    expect(await studio.ended(runs[0]!.id)).toMatchObject({ state: "succeeded" });
    expect([...studio.comfy.inputs.keys()]).toContainEqual(
      expect.stringMatching(/^bottega\/[0-9a-f]{32}\.png$/),
    );
  });

  it("a dropped socket and a lost answer end nothing: the job is found, polled, and sent once", async () => {
    const studio = await createComfyStudio(await create());
    for (const fault of ["socket-drop", "lost-reply", "no-id"]) {
      const run = await studio.makeOn(`x [sim:${fault}]`);
      expect(await studio.ended(run.id)).toMatchObject({ state: "succeeded" });
      expect(studio.comfy.ledger.postsOf(`[sim:${fault}]`)).toBe(1);
      expect(await studio.attempts(run.id)).toHaveLength(1);
    }
  });

  it("a workflow that fails while running ends the run with ComfyUI's words, once", async () => {
    const studio = await createComfyStudio(await create());
    const run = await studio.makeOn("x [sim:oom]");
    const ended = await studio.ended(run.id);
    expect(ended).toMatchObject({
      state: "failed",
      costMicros: 0,
      error: { code: "provider_overloaded" },
    });
    expect(ended.error?.message).toContain("ran out of memory in “KSampler”");
    expect(studio.comfy.ledger.postsOf("[sim:oom]")).toBe(1);
  });

  it("a job forgotten by a restarted ComfyUI is sent once more; one removed from its queue isn't", async () => {
    const studio = await createComfyStudio(await create());
    const run = await studio.makeOn("forgotten [sim:hold]");
    await studio.inState(run.id, "running");
    studio.comfy.mend("forgotten");
    studio.comfy.restart();
    expect(await studio.ended(run.id)).toMatchObject({ state: "succeeded" });
    expect((await studio.attempts(run.id)).map(({ state }) => state)).toEqual(["lost", "ended"]);
    expect(studio.comfy.ledger.postsOf("forgotten")).toBe(2);

    const blocking = await studio.makeOn("blocks [sim:hold]");
    await studio.inState(blocking.id, "running");
    const waiting = await studio.makeOn("waits its turn");
    await studio.inState(waiting.id, "submitted");
    const [{ providerRequestId } = { providerRequestId: null }] = await studio.attempts(waiting.id);
    await fetch(`${studio.comfy.url}/queue`, {
      method: "POST",
      body: JSON.stringify({ delete: [providerRequestId] }),
    });
    expect(await studio.ended(waiting.id)).toMatchObject({
      state: "failed",
      error: { message: "This job was removed from ComfyUI’s queue." },
    });
    expect(studio.comfy.ledger.postsOf("waits its turn")).toBe(1);
    studio.comfy.release("blocks");
    expect(await studio.ended(blocking.id)).toMatchObject({ state: "succeeded" });
  });

  it("a cancel stops a running or waiting job, and leaves the others alone", async () => {
    const studio = await createComfyStudio(await create());
    const running = await studio.makeOn("runs [sim:hold]");
    await studio.inState(running.id, "running");
    const waiting = await studio.makeOn("waits");
    const other = await studio.makeOn("another’s");
    for (const { id } of [waiting, other]) await studio.inState(id, "submitted");
    await studio.engine.cancelRun(waiting.id);
    expect(await studio.ended(waiting.id)).toMatchObject({ state: "cancelled" });
    expect(await studio.runOf(running.id)).toMatchObject({ state: "running" });
    await studio.engine.cancelRun(running.id);
    expect(await studio.ended(running.id)).toMatchObject({ state: "cancelled", costMicros: 0 });
    expect(await studio.ended(other.id)).toMatchObject({ state: "succeeded" });
    expect(studio.comfy.ledger.made.map(({ prompt }) => prompt)).not.toContainEqual(
      expect.stringMatching(/^(runs|waits)/),
    );
  });

  it("workflows are added once under a name, replaced in place, and removed without their results", async () => {
    const studio = await createComfyStudio(await create());
    const { engine, wish } = studio;
    const text = asText(textToImage());
    await expect(
      addWorkflow(engine.deps, { ...wish, name: "text to PICTURE", text }),
    ).rejects.toMatchObject({
      code: "conflict",
      detail: { field: "name" },
    });
    await expect(
      addWorkflow(engine.deps, { ...wish, name: "Broken", text: "{" }),
    ).rejects.toMatchObject({
      detail: { field: "workflow" },
    });
    const before = await studio.makeOn("before");
    await studio.ended(before.id);

    const smaller = textToImage("another default");
    smaller["5"]!.inputs.width = 128;
    await replaceWorkflow(engine.deps, {
      ...wish,
      id: "text-to-picture",
      name: "Text to picture 2",
      text: asText(smaller),
    });
    const after = await studio.makeOn("after");
    await studio.ended(after.id);
    expect((await studio.assetsOf(after.id))[0]).toMatchObject({ width: 128 });
    await expect(
      replaceWorkflow(engine.deps, { ...wish, id: "none", name: "None", text }),
    ).rejects.toMatchObject({ code: "not_found" });

    studio.comfy.install("VAEDecode", false);
    await checkConnection(engine.deps, wish.connectionId);
    expect(await listWorkflows(engine.deps, wish.connectionId)).toMatchObject([
      { name: "Text to picture 2", isOffered: false },
    ]);
    studio.comfy.install("VAEDecode", true);
    await checkConnection(engine.deps, wish.connectionId);
    expect(await listWorkflows(engine.deps, wish.connectionId)).toMatchObject([
      { isOffered: true },
    ]);

    await removeWorkflow(engine.deps, wish.connectionId, "text-to-picture");
    await expect(
      removeWorkflow(engine.deps, wish.connectionId, "text-to-picture"),
    ).rejects.toMatchObject({ code: "not_found" });
    await expect(studio.makeOn("gone")).rejects.toMatchObject({ code: "model_gone" });
    expect(await studio.assetsOf(before.id)).toHaveLength(1);
  });

  it("kill -9 during a job: the next start follows it, without sending it again", async () => {
    const [comfy, database] = await Promise.all([startComfy(), create()]);
    onTestFinished(() => comfy.stop());
    const start = () => startServer({ dataFolder: database.dataFolder, env: database.env });
    let server = await start();
    onTestFinished(() => server.kill9());
    let client = await setUpServer(server);
    const connectionId = await connectKind(client, "comfyui", { address: comfy.url });
    const added = await client.call("addWorkflow", {
      params: { connectionId },
      body: { name: "Text to picture", workflow: asText(textToImage()) },
    });
    expect(added.status).toBe(200);
    const model = { connectionId, modelId: "text-to-picture" };
    const running = await makeOnServer(client, model, { prompt: "running [sim:hold]" });
    await until(
      "it runs",
      async () => (await runOnServer(client, running.id)).run.state === "running",
    );
    const unheard = await makeOnServer(client, model, { prompt: "unheard [sim:hold-reply]" });
    await until("it was sent", async () => comfy.ledger.postsOf("unheard") === 1);
    await server.kill9();
    // A run that ends while nobody listens is found in the history.
    comfy.release("running");
    await until("both were made", async () => comfy.ledger.made.length === 2);
    server = await start();
    client = client.at(server.url);
    for (const { id } of [running, unheard]) {
      const ended = await runEnds(client, id);
      expect(ended.run).toMatchObject({ state: "succeeded" });
      expect(ended.assets).toHaveLength(1);
    }
    expect(comfy.ledger.posts).toHaveLength(2);
  });
});
