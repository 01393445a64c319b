import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { updateConnection } from "#store/models/connections.ts";
import { forEachDatabase } from "../../../support/databases/databases.ts";
import { until } from "../../../support/server/instance.ts";
import { createStudio, type Studio, textOfMessage } from "../../../support/studio/studio.ts";

forEachDatabase((_, create) => {
  let studio: Studio;
  beforeAll(async () => {
    studio = await createStudio(await create(), { fal: { pace: { by: "time", stepMs: 10 } } });
  });
  afterAll(() => studio.close());

  const cancel = async (runId: string) => {
    const answer = await studio.person.call("cancelRun", { params: { runId } });
    expect(answer.status).toBe(200);
    return answer.body.run as { state: string; cancelRequestedAt: number | null };
  };
  const cancelsAtFal = () =>
    studio.fal.ledger.requests.filter(
      (request) => request.startsWith("PUT") && request.endsWith("/cancel"),
    ).length;

  /** Fills the connection's only place; the returned function frees it. */
  const inTheWay = async (connectionId: string) => {
    await studio.instance.commit(({ tx }) =>
      updateConnection(tx, connectionId, { places: { text: 1, media: 1 } }),
    );
    const first = await studio.make("the only place [sim:hold-queue]");
    await studio.inState(first.id, "submitted");
    return async () => {
      studio.fal.release("the only place");
      await studio.ended(first.id);
      await studio.instance.commit(({ tx }) =>
        updateConnection(tx, connectionId, { places: { text: 8, media: 8 } }),
      );
    };
  };

  it("a queued run is canceled at once and never sent", async () => {
    const { connectionId } = studio.models.fal;
    await studio.instance.commit(({ tx }) =>
      updateConnection(tx, connectionId, { places: { text: 1, media: 1 } }),
    );
    const first = await studio.make("in the way [sim:hold-queue]");
    await studio.inState(first.id, "submitted");
    const second = await studio.make("never sent");
    expect(await cancel(second.id)).toMatchObject({ state: "cancelled" });
    studio.fal.release("in the way");
    await studio.ended(first.id);
    await studio.instance.commit(({ tx }) =>
      updateConnection(tx, connectionId, { places: { text: 8, media: 8 } }),
    );
    await studio.ended((await studio.make("after both")).id);
    expect(studio.fal.ledger.postsOf("never sent")).toBe(0);
    expect(await studio.runOf(second.id)).toMatchObject({
      state: "cancelled",
      costMicros: 0,
      attempts: 0,
    });
  });

  it.each(["fal", "openaiImage"] as const)(
    "a cancel right after a run's claim is honored, and nothing is sent: %s",
    async (kind) => {
      const { engine } = studio.instance;
      const { hub } = engine.deps;
      const { claimed } = hub;
      hub.claimed = async (runs) => {
        for (const run of runs) await engine.cancelRun(run.id);
        claimed(runs);
      };
      onTestFinished(() => void Object.assign(hub, { claimed }));
      const sent = studio.fal.ledger.posts.length + studio.openai.posts.length;
      const run = await studio.make("changed my mind", { model: studio.models[kind] });
      expect(await studio.ended(run.id)).toMatchObject({ state: "cancelled", costMicros: 0 });
      expect(studio.fal.ledger.posts.length + studio.openai.posts.length).toBe(sent);
    },
  );

  it("a request whose answer hasn't started is aborted, and the run ends as canceled at an unknown price", async () => {
    studio.openai.script({ text: "never heard", gate: { name: "head", at: "head" } });
    const { run, answer } = await studio.ask("wait");
    await studio.openai.reached("head");
    expect(await cancel(run.id)).toMatchObject({ cancelRequestedAt: expect.any(Number) });
    expect(await studio.ended(run.id)).toMatchObject({
      state: "cancelled",
      costMicros: null,
      error: null,
    });
    expect(await studio.messageOf(answer.id)).toMatchObject({ state: "interrupted" });
    await until(
      "the provider sees that we left",
      async () => studio.openai.posts.at(-1)?.state === "client-left",
    );
    studio.openai.open("head");
  });

  it("a stream is stopped, its text saved and its message marked interrupted", async () => {
    studio.openai.script({ text: "one two three", gate: { name: "third", at: 2 } });
    const { run, answer } = await studio.ask("count");
    await until("two words are shown", async () =>
      (await studio.events(run.id)).some((event) => event.type === "text-delta"),
    );
    await studio.openai.reached("third");
    await cancel(run.id);
    expect(await studio.ended(run.id)).toMatchObject({
      state: "cancelled",
      error: null,
      usage: { units: { estimated: "yes" } },
    });
    const message = await studio.messageOf(answer.id);
    expect(message.state).toBe("interrupted");
    expect(textOfMessage(message)).toBe("one two");
    await until(
      "the provider sees that we left",
      async () => studio.openai.posts.at(-1)?.state === "client-left",
    );
    studio.openai.open("third");
  });

  it("a cancel doesn't lose a job whose submit is in progress: its answer is awaited, then it is canceled at the provider", async () => {
    studio.fal.script("being sent", "hold-queue");
    const run = await studio.make("being sent [sim:hold-reply]");
    await until(
      "the provider has the job",
      async () => studio.fal.ledger.postsOf("being sent [sim:hold-reply]") === 1,
    );
    const before = cancelsAtFal();
    await cancel(run.id);
    expect((await studio.runOf(run.id)).state).toBe("submitting");
    studio.fal.answer("being sent");
    expect(await studio.ended(run.id)).toMatchObject({ state: "cancelled", costMicros: 0 });
    expect(cancelsAtFal() - before).toBe(1);
    expect(await studio.attempts(run.id)).toMatchObject([
      { providerRequestId: expect.any(String) },
    ]);
  });

  it("a job waiting at the provider leaves its queue and costs nothing", async () => {
    const run = await studio.make("in the queue [sim:hold-queue]");
    await studio.inState(run.id, "submitted");
    const before = cancelsAtFal();
    await cancel(run.id);
    expect(await studio.ended(run.id)).toMatchObject({ state: "cancelled", costMicros: 0 });
    expect(cancelsAtFal() - before).toBe(1);
    expect(studio.fal.ledger.billed.some((bill) => bill.prompt.startsWith("in the queue"))).toBe(
      false,
    );
  });

  it("a running job that its provider stops ends as canceled", async () => {
    const run = await studio.make("stopped [sim:hold][sim:stops-on-cancel]");
    await studio.inState(run.id, "running");
    await cancel(run.id);
    expect(await studio.ended(run.id)).toMatchObject({ state: "cancelled", costMicros: 0 });
  });

  it("a running job that its provider can't stop any more is followed to its end, saved and charged", async () => {
    const run = await studio.make("unstoppable [sim:hold]");
    await studio.inState(run.id, "running");
    const before = cancelsAtFal();
    await cancel(run.id);
    await until("the provider was asked", async () => cancelsAtFal() > before);
    studio.fal.release("unstoppable");
    expect(await studio.ended(run.id)).toMatchObject({
      state: "succeeded",
      costMicros: 25_000,
      cancelRequestedAt: expect.any(Number),
    });
    expect(await studio.assetsOf(run.id)).toHaveLength(1);
  });

  it("a job whose provider stays unreachable is released a minute after its cancel, unconfirmed and never free", async () => {
    let laterMs = 0;
    const clock = { now: () => Date.now(), monotonic: () => performance.now() + laterMs };
    const own = await createStudio(await create(), { endsWithTest: true, instance: { clock } });
    const run = await own.make("out of reach [sim:hold]");
    await own.inState(run.id, "running");
    await own.fal.stop();
    await until("the provider could not be asked", async () =>
      (await own.events(run.id)).some(
        (event) => event.type === "log" && JSON.stringify(event.payload).includes('"warn"'),
      ),
    );
    await own.person.call("cancelRun", { params: { runId: run.id } });
    expect((await own.runOf(run.id)).state).toBe("running");
    laterMs = 61_000;
    await own.inState(run.id, "unconfirmed");
    expect(await own.runOf(run.id)).toMatchObject({
      costMicros: null,
      error: { code: "outcome_unknown", cause: expect.any(String) },
    });
    expect(await own.attempts(run.id)).toMatchObject([
      { state: "lost", providerRequestId: expect.any(String) },
    ]);
  });

  it("a provider that fails once, long after a cancel, is polled again: its result is saved", async () => {
    let laterMs = 0;
    const clock = { now: () => Date.now(), monotonic: () => performance.now() + laterMs };
    const own = await createStudio(await create(), { endsWithTest: true, instance: { clock } });
    const run = await own.make("late [sim:hold]");
    await own.inState(run.id, "running");
    await own.person.call("cancelRun", { params: { runId: run.id } });
    laterMs = 61_000;
    own.fal.script("late [sim:hold]", "result-busy", 1);
    own.fal.release("late [sim:hold]");
    expect(await own.ended(run.id)).toMatchObject({ state: "succeeded" });
    expect(await own.assetsOf(run.id)).toHaveLength(1);
  });

  it.each([
    ["queued", "waiting in line [sim:hold-queue]", 0],
    ["submitting", "on its way [sim:hold-reply][sim:hold-queue]", 0],
    ["submitted", "at the door [sim:hold-queue]", 0],
    ["running, and stopped", "in the middle [sim:hold][sim:stops-on-cancel]", 0],
    ["running, and past stopping", "too far on [sim:hold]", 25_000],
  ] as const)(
    "every cancel releases the reservation and charges only actual use: %s",
    async (state, prompt, cost) => {
      const { connectionId } = studio.models.fal;
      const ahead = state === "queued" ? await inTheWay(connectionId) : null;
      const run = await studio.make(prompt);
      expect(run.heldMicros).toBe(25_000);
      if (state !== "queued")
        await until(
          "it got there",
          async () => (await studio.runOf(run.id)).state === state.split(",")[0],
        );
      if (state === "submitting")
        await until(
          "the provider has the job",
          async () => studio.fal.ledger.postsOf(prompt) === 1,
        );
      await cancel(run.id);
      if (state === "submitting") studio.fal.answer("on its way");
      if (cost > 0) {
        await until("the provider was asked", async () =>
          (await studio.events(run.id)).some(({ type }) => type === "log"),
        );
        studio.fal.release(prompt);
      }
      expect(await studio.ended(run.id)).toMatchObject({
        state: cost > 0 ? "succeeded" : "cancelled",
        costMicros: cost,
        heldMicros: 0,
      });
      const books = await studio.ledgerOf(run.id);
      const sum = (...kinds: string[]) =>
        books.reduce(
          (all, { kind, micros }) => all + (kinds.includes(kind) ? Number(micros) : 0),
          0,
        );
      expect([sum("hold", "release"), sum("spend", "overage", "adjust")]).toEqual([0, cost]);
      expect(books.filter(({ settlement }) => settlement !== null)).toHaveLength(1);
      expect(studio.fal.ledger.billed.filter((bill) => bill.prompt === prompt)).toHaveLength(
        cost > 0 ? 1 : 0,
      );
      await ahead?.();
    },
  );

  it("a cancel doesn't end an unconfirmed run: its money stays reserved until a person decides", async () => {
    const run = await studio.make("nobody knows [sim:lost-reply]");
    await studio.inState(run.id, "unconfirmed");
    expect(await cancel(run.id)).toMatchObject({
      state: "unconfirmed",
      cancelRequestedAt: expect.any(Number),
    });
    expect(await studio.runOf(run.id)).toMatchObject({ state: "unconfirmed", heldMicros: 25_000 });
    const resolved = await studio.person.call("resolveRun", {
      params: { runId: run.id },
      body: { outcome: "not-made" },
    });
    expect(resolved).toMatchObject({
      status: 200,
      body: { run: { state: "failed", costMicros: 0 } },
    });
  });

  it("a cancel after the end, or a second one, changes nothing", async () => {
    const run = await studio.make("already made");
    const ended = await studio.ended(run.id);
    await cancel(run.id);
    expect(await studio.runOf(run.id)).toEqual(ended);

    const held = await studio.make("cancelled twice [sim:hold-queue]");
    await studio.inState(held.id, "submitted");
    await Promise.all([cancel(held.id), cancel(held.id)]);
    await studio.ended(held.id);
    const wishes = (await studio.events(held.id)).filter(
      (event) => event.type === "cancel-requested",
    );
    expect(wishes.length).toBeLessThanOrEqual(1);
  });
});
