import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from "vitest";
import type { Asset } from "#contract/entities.ts";
import { connect } from "#engine/connections/connect.ts";
import { closeLostSession } from "#engine/settle/settle-session.ts";
import { insertMember } from "#store/people/projects.ts";
import { adoptRuns, insertWorker } from "#store/runs/workers.ts";
import { openCanvas, pixel } from "../../../support/browser/canvas.ts";
import { forEachDatabase } from "../../../support/databases/databases.ts";
import { until } from "../../../support/server/instance.ts";
import { createSessionStudio, type SessionStudio } from "../../../support/studio/session-studio.ts";
import { createStudio } from "../../../support/studio/studio.ts";

forEachDatabase((_, create) => {
  let here: SessionStudio;
  beforeAll(async () => {
    here = await createSessionStudio(await create());
  });
  afterAll(() => here.close());
  beforeEach(() => here.clear());

  it("a session is a run: it reserves a minute, gives frames, is booked by the second, and is found in the ledger", async () => {
    const { studio, clock, start, expectGoodBooks } = here;
    const { canvas, runId, started } = await start();
    expect(started).toMatchObject({ heldMicros: 60_000, answers: 0 });
    expect(await studio.runOf(runId)).toMatchObject({
      task: "live",
      state: "running",
      heldMicros: 60_000,
      input: { prompt: "a boat" },
    });
    const input = canvas.draw({ prompt: "a boat", seed: 7 });
    const frame = await canvas.frameCame();
    expect(frame).toMatchObject({
      runId,
      frame: 0,
      input,
      mime: "image/png",
      width: 64,
      height: 64,
      seed: 7,
    });
    expect(Buffer.from(frame.bytes.subarray(1, 4)).toString()).toBe("PNG");
    clock.advance(10_000);
    canvas.say({ stop: true });
    const { ended } = await canvas.heard("ended");
    expect(ended).toMatchObject({
      runId,
      reason: "The session was stopped.",
      problem: null,
      costBasis: "estimated",
    });
    const run = await studio.runOf(runId);
    expect(run).toMatchObject({
      state: "succeeded",
      heldMicros: 0,
      costMicros: ended.costMicros,
      usage: { units: { answers: "1", images: "1" } },
    });
    expect(run.costMicros).toBeGreaterThan(10_000);
    expect(run.costMicros).toBeLessThan(30_000);
    expect((await studio.attempts(runId))[0]).toMatchObject({ state: "ended" });
    await expectGoodBooks();
  });

  it("a pinned frame is an asset of the run with its own recipe, and its drawing is its source", async () => {
    const { studio, start, expectGoodBooks } = here;
    const { canvas, runId } = await start();
    canvas.draw({ prompt: "first", seed: 1 });
    await canvas.frameCame(1);
    canvas.draw({ prompt: "second", seed: 2 });
    const second = await canvas.frameCame(2);
    canvas.say({ pin: { runId, frame: 1 } });
    const { pinned } = await canvas.heard("pinned");
    expect(pinned).toMatchObject({
      frame: 1,
      asset: { runId, outputIndex: 0, kind: "image", width: 64, promptText: "second" },
    });
    expect(await studio.bytesOf(pinned.asset.sha256)).toEqual(Buffer.from(second.bytes));
    canvas.say({ pin: { runId, frame: 0 } });
    const first = (await canvas.heard("pinned", 2)).pinned;
    type Detail = { asset: Asset; run: { input: object }; sources: Asset[]; madeFrom: Asset[] };
    const detail = (id: string) =>
      studio.person.call<Detail>("getAsset", { params: { assetId: id } });
    const { body } = await detail(pinned.asset.id);
    expect(body.sources).toMatchObject([{ title: "Drawing", mime: "image/png" }]);
    expect(await studio.bytesOf(body.sources[0]!.sha256)).toEqual(pixel);
    expect(body.run.input).toEqual({
      prompt: "second",
      seed: 2,
      image_url: `asset:${body.sources[0]!.id}`,
    });
    expect((await detail(first.asset.id)).body.run.input).toMatchObject({
      prompt: "first",
      seed: 1,
    });
    // One drawing with two frames.
    const drawing = await detail(body.sources[0]!.id);
    expect(drawing.body.madeFrom.map(({ id }) => id).sort()).toEqual(
      [pinned.asset.id, first.asset.id].sort(),
    );
    canvas.draw({ prompt: "third" }, Buffer.concat([pixel, Buffer.of(0)]));
    await canvas.frameCame(3);
    canvas.say({ pin: { runId, frame: 2 } });
    const third = (await canvas.heard("pinned", 3)).pinned;
    expect((await detail(third.asset.id)).body.sources.map(({ id }) => id)).not.toEqual([
      body.sources[0]!.id,
    ]);
    expect((await detail(body.sources[0]!.id)).body.madeFrom).toHaveLength(2);
    canvas.say({ stop: true });
    await canvas.heard("ended");
    // The last visible frame can still be pinned.
    canvas.say({ pin: { runId, frame: 2 } });
    expect((await canvas.heard("pinned", 4)).pinned.asset.outputIndex).toBe(3);
    expect((await studio.assetsOf(runId)).map(({ outputIndex }) => outputIndex)).toEqual([
      0, 1, 2, 3,
    ]);
    canvas.say({ pin: { runId, frame: 99 } });
    expect((await canvas.heard("failed")).failed.problem.code).toBe("not_found");
    await expectGoodBooks();
  });

  it("a frame pinned over a storage limit is saved, and its run says so once", async () => {
    const { studio, start } = here;
    const limit = (personBytes: number | null) =>
      studio.instance.store.db.updateTable("instance").set({ person_bytes: personBytes }).execute();
    onTestFinished(() => limit(null).then(() => undefined));
    await limit(1);
    const { canvas, runId } = await start();
    const warnings = async () => (await studio.runOf(runId)).warnings.map(({ type }) => type);
    canvas.draw({ prompt: "above", seed: 1 });
    await canvas.frameCame(1);
    canvas.say({ pin: { runId, frame: 0 } });
    await canvas.heard("pinned");
    expect(await warnings()).toEqual(["storage-limit"]);
    canvas.say({ stop: true });
    await canvas.heard("ended");
    expect(await warnings()).toEqual(["storage-limit"]);
    canvas.say({ pin: { runId, frame: 0 } });
    await canvas.heard("pinned", 2);
    expect(await warnings()).toEqual(["storage-limit"]);
    expect(await studio.assetsOf(runId)).toHaveLength(2);
  });

  it("strokes never queue behind a slow model: only the newest waits", async () => {
    const { studio, start } = here;
    const { canvas } = await start();
    const seen = studio.fal.realtime.inputs.length;
    const first = canvas.draw({ prompt: "[sim:frame-hold] slow" });
    await until("the model has it", async () => studio.fal.realtime.inputs.length === seen + 1);
    for (let i = 0; i < 8; i++) canvas.draw({ prompt: `stroke ${i}` });
    const last = canvas.draw({ prompt: "the last" });
    // All of them have reached the server, because it answers in order.
    canvas.say({ pin: { runId: "00000000-0000-7000-8000-000000000000", frame: 0 } });
    await canvas.heard("failed");
    studio.fal.realtime.release();
    expect((await canvas.frameCame(2)).input).toBe(last);
    expect(canvas.frames.map(({ input }) => input)).toEqual([first, last]);
    expect(studio.fal.realtime.inputs.slice(seen).map(({ prompt }) => prompt)).toEqual([
      "[sim:frame-hold] slow",
      "the last",
    ]);
  });

  it("an input refused by the form or the model says why, and the next one gets its frame", async () => {
    const { start } = here;
    const { canvas } = await start();
    canvas.draw({ prompt: "x", num_inference_steps: 99 });
    expect((await canvas.heard("refused")).refused.problem).toMatchObject({
      code: "invalid_input",
      field: "num_inference_steps",
    });
    canvas.draw({ prompt: "[sim:frame-policy] x" });
    expect((await canvas.heard("refused", 2)).refused.problem).toMatchObject({
      code: "provider_rejected",
    });
    canvas.draw({ prompt: "x" }, Buffer.from("no picture"));
    expect((await canvas.heard("refused", 3)).refused.problem).toMatchObject({
      code: "unsupported_media",
    });
    canvas.draw({ prompt: "fine" });
    await canvas.frameCame();
  });

  it("a session ends with its person's rights: suspension, removal from the project, or a disabled or removed connection", async () => {
    const { studio, open, start, expectGoodBooks } = here;
    const { engine, store } = studio.instance;
    const eve = await studio.instance.createPerson(`eve-${Date.now()}@example.org`);
    const suspended = await start({ who: eve });
    await studio.person.call("updatePerson", {
      params: { userId: eve.user.id },
      body: { status: "suspended" },
    });
    expect([1006, 4001]).toContain(await suspended.canvas.closed);
    const first = await studio.ended(suspended.runId);
    expect(["cancelled", "succeeded"]).toContain(first.state);
    await studio.person.call("updatePerson", {
      params: { userId: eve.user.id },
      body: { status: "active" },
    });

    const bob = await studio.instance.createPerson(`bob-${Date.now()}@example.org`);
    const member = {
      projectId: studio.person.projectId,
      userId: bob.user.id,
      role: "editor",
      at: 0,
    } as const;
    await studio.instance.commit(({ tx }) => insertMember(tx, member));
    const left = await start({ who: bob, projectId: studio.person.projectId });
    await studio.person.call("removeMember", {
      params: { projectId: studio.person.projectId, userId: bob.user.id },
    });
    expect((await left.canvas.heard("ended")).ended.problem).toMatchObject({ code: "forbidden" });
    expect(await studio.runOf(left.runId)).toMatchObject({
      state: "cancelled",
      error: { code: "forbidden" },
    });

    const { connection } = await connect(engine.deps, {
      kind: "fal",
      name: "other",
      scope: "instance",
      userId: studio.person.user.id,
      values: studio.fal.values,
    });
    const other = { connectionId: connection.id, modelId: "sim/klein/realtime" };
    const startOn = async () => {
      const canvas = await open();
      canvas.say({
        start: { projectId: studio.person.projectId, model: other, settings: { prompt: "x" } },
      });
      return { canvas, runId: (await canvas.heard("started")).started.runId };
    };
    const off = await startOn();
    await studio.person.call("updateConnection", {
      params: { connectionId: connection.id },
      body: { disabled: true },
    });
    expect((await off.canvas.heard("ended")).ended.problem).toMatchObject({ code: "model_gone" });
    await studio.person.call("updateConnection", {
      params: { connectionId: connection.id },
      body: { disabled: false },
    });
    const removed = await startOn();
    expect(
      (await studio.person.call("removeConnection", { params: { connectionId: connection.id } }))
        .status,
    ).toBe(200);
    expect((await removed.canvas.heard("ended")).ended.problem).toMatchObject({
      code: "model_gone",
    });
    expect(
      (
        await store.db
          .selectFrom("run")
          .select("state")
          .where("id", "=", removed.runId)
          .executeTakeFirst()
      )?.state,
    ).toBe("cancelled");
    expect(engine.openSessions()).toBe(0);
    await expectGoodBooks();
  });

  it("a connection dropped by the model fails the run with usage booked; an orderly close succeeds", async () => {
    const { studio, clock, start, expectGoodBooks } = here;
    const dropped = await start();
    clock.advance(5_000);
    dropped.canvas.draw({ prompt: "[sim:line-drop]" });
    const { ended } = await dropped.canvas.heard("ended");
    expect(ended.problem).toMatchObject({ code: "provider_interrupted" });
    const run = await studio.runOf(dropped.runId);
    expect(run).toMatchObject({
      state: "failed",
      error: { code: "provider_interrupted" },
      costBasis: "estimated",
    });
    expect(run.costMicros).toBeGreaterThan(5_000);
    const closed = await start();
    closed.canvas.draw({ prompt: "[sim:line-1000]" });
    expect((await closed.canvas.heard("ended")).ended).toMatchObject({
      problem: null,
      reason: "The model ended the session.",
    });
    expect((await studio.runOf(closed.runId)).state).toBe("succeeded");
    await expectGoodBooks();
  });

  it("a session that the service refuses costs nothing, and the run shows the reason", async () => {
    const { studio, live, open, expectGoodBooks } = here;
    studio.fal.script("", "token-expired");
    const canvas = await open();
    canvas.say({
      start: { projectId: studio.person.projectId, model: live(), settings: { prompt: "x" } },
    });
    const { ended } = await canvas.heard("ended");
    expect(ended).toMatchObject({ problem: { code: "provider_auth" }, costMicros: 0 });
    expect(await studio.runOf(ended.runId)).toMatchObject({
      state: "failed",
      costMicros: 0,
      heldMicros: 0,
    });
    await expectGoodBooks();
  });

  it("ends by itself when nothing is drawn, after an hour, when it is canceled elsewhere, and when its canvas goes away", async () => {
    const { studio, clock, start } = here;
    const idle = await start();
    clock.advance(46_000);
    expect((await idle.canvas.heard("ended")).ended.reason).toBe("Nothing was drawn for a while.");
    const cancelled = await start();
    await studio.person.call("cancelRun", { params: { runId: cancelled.runId } });
    await cancelled.canvas.heard("ended");
    expect((await studio.runOf(cancelled.runId)).state).toBe("cancelled");
    const gone = await start();
    gone.canvas.ws.terminate();
    expect((await studio.ended(gone.runId)).state).toBe("succeeded");
    expect(
      (await studio.events(gone.runId)).find(({ type }) => type === "session-ended")?.payload,
    ).toMatchObject({
      reason: expect.stringContaining("lost its connection"),
    });
  });

  it("a person has at most three canvases at once, and restarting one ends its old session", async () => {
    const { studio, live, open, start } = here;
    const first = await start();
    first.canvas.say({
      start: { projectId: studio.person.projectId, model: live(), settings: { prompt: "anew" } },
    });
    const anew = (await first.canvas.heard("started", 2)).started;
    expect((await studio.ended(first.runId)).state).toBe("succeeded");
    expect(anew.runId).not.toBe(first.runId);
    await start();
    await start();
    const fourth = await open();
    fourth.say({
      start: {
        projectId: studio.person.projectId,
        model: live(),
        settings: { prompt: "too many" },
      },
    });
    expect((await fourth.heard("failed")).failed.problem).toMatchObject({ code: "rate_limited" });
  });

  it("a session is started only from the canvas: no form makes one, and none is retried", async () => {
    const { studio, live } = here;
    const made = await studio.person.call("createRuns", {
      body: {
        projectId: studio.person.projectId,
        models: [live()],
        task: "live",
        input: { prompt: "x" },
      },
    });
    expect(made).toMatchObject({ status: 422, body: { code: "invalid_input" } });
  });

  it("a web-only server owns its sessions, and another server closes them when it is gone", async () => {
    const database = await create();
    const other = await createStudio(database, { instance: { role: "web" } });
    const otherUrl = await other.instance.listen();
    const canvas = await openCanvas(otherUrl, other.person.cookie);
    const model = { connectionId: other.models.fal.connectionId, modelId: "sim/klein/realtime" };
    canvas.say({ start: { projectId: other.person.projectId, model, settings: { prompt: "x" } } });
    const { started } = await canvas.heard("started");
    canvas.draw({ prompt: "x" });
    await canvas.frameCame();
    const { workerId, heldMicros } = await other.runOf(started.runId);
    expect(workerId).not.toBeNull();
    // Declared dead by a server that saw its heartbeat stop: the run has another owner, which finds
    // it like after a crash.
    await other.instance.store.db.deleteFrom("worker").where("id", "=", workerId!).execute();
    const heir = "00000000-0000-7000-8000-00000000beef";
    await other.instance.commit(({ tx }) =>
      insertWorker(tx, { id: heir, bootId: "heir", beat: 0, host: "test", startedAt: Date.now() }),
    );
    const adopted = await other.instance.commit(({ tx }) => adoptRuns(tx, heir, 10));
    expect(adopted.map(({ id }) => id)).toEqual([started.runId]);
    // Its first owner no longer writes, and releases it at its next heartbeat.
    canvas.say({ stop: true });
    await canvas.heard("ended");
    expect(await other.runOf(started.runId)).toMatchObject({ state: "running", workerId: heir });
    await closeLostSession(
      other.instance.engineDeps,
      { run: adopted[0]!, free: false },
      new AbortController().signal,
    );
    // It was owned for less than a checkpoint, so its usage is unknown, which never counts as zero.
    expect(await other.runOf(started.runId)).toMatchObject({
      state: "failed",
      heldMicros: 0,
      costMicros: heldMicros,
      costBasis: "held",
    });
    canvas.ws.terminate();
    await other.close();
  });

  it("a stopping server settles its sessions", async () => {
    const other = await createStudio(await create());
    const otherUrl = await other.instance.listen();
    const canvas = await openCanvas(otherUrl, other.person.cookie);
    const model = { connectionId: other.models.fal.connectionId, modelId: "sim/klein/realtime" };
    canvas.say({ start: { projectId: other.person.projectId, model, settings: { prompt: "x" } } });
    const { started } = await canvas.heard("started");
    await other.instance.engine.stop();
    expect(await other.runOf(started.runId)).toMatchObject({
      state: "succeeded",
      heldMicros: 0,
      costBasis: "estimated",
    });
    canvas.ws.terminate();
    await other.close();
  });
});
