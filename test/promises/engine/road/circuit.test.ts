import { expect, it } from "vitest";
import type { CircuitKind } from "#domain/runs/circuit.ts";
import { listCircuits } from "#store/models/circuits.ts";
import { getConnection } from "#store/models/connections.ts";
import { claimRuns } from "#store/runs/claims.ts";
import type { Fault } from "../../../simulators/openai-compatible.ts";
import { onSqlite, type TestDatabase } from "../../../support/databases/databases.ts";
import { createTestClock, until } from "../../../support/server/instance.ts";
import { createStudio } from "../../../support/studio/studio.ts";

/** In the provider's own shape. */
const overloaded: Fault = { kind: "status", status: 500 };
const between: Fault = { kind: "status", status: 502, body: "Bad gateway" };
type Waits = { waitsFor: { reason: string; notBefore: number | null } | null };

/** A studio on a separate clock, with a connection whose service can be made to fail. */
async function createScene(database: TestDatabase) {
  const clock = createTestClock();
  const studio = await createStudio(database, { endsWithTest: true, instance: { clock } });
  const { store } = studio.instance;
  const { connectionId } = studio.models.openai;
  const chat = studio.models.openai.modelId;
  const connection = async () => (await getConnection(store.db, connectionId))!;
  const circuits = () => listCircuits(store.db, connectionId);
  const circuit = async (kind: CircuitKind, modelId: string | null = null) =>
    (await circuits()).find((one) => one.kind === kind && one.modelId === modelId);
  /** Runs with other inputs that meet a fault, in sequence. */
  async function fail(times: number, fault: Fault = overloaded): Promise<void> {
    for (let i = 0; i < times; i++) {
      studio.openai.script({ fault });
      await studio.ended((await studio.ask(`hello ${i}`)).run.id);
    }
  }
  /** The number of runs that a server of this database could claim now. */
  const claimable = async (): Promise<number> => {
    const nothing = new Error("only asked");
    let found = 0;
    const ask = studio.instance.commit(async (unit) => {
      const of = {
        connectionId,
        workerId: "another server",
        clientToken: studio.instance.deps.ids,
        most: 16,
      };
      found = (await claimRuns(unit, of)).length;
      throw nothing;
    });
    await expect(ask).rejects.toBe(nothing);
    return found;
  };
  const waitsFor = async (runId: string) =>
    (await studio.person.call<Waits>("getRun", { params: { runId } })).body.waitsFor;
  return {
    clock,
    studio,
    connectionId,
    chat,
    connection,
    circuits,
    circuit,
    fail,
    claimable,
    waitsFor,
    posts: () => studio.openai.posts.length,
  };
}

onSqlite((create) => {
  it("five errors in a row of one model pause that model, show on the next try, and stop no other model", async () => {
    const { clock, studio, connection, circuit, chat, fail, claimable, waitsFor, posts } =
      await createScene(await create());
    await fail(4);
    expect(await circuit("overload", chat)).toMatchObject({ failures: 4, openedAt: null });
    await fail(1);
    expect(await circuit("overload", chat)).toMatchObject({
      openedAt: clock.now(),
      pausedUntil: clock.now() + 1_000,
    });
    expect(await connection()).toMatchObject({ status: "ok" });
    const before = posts();
    const { run } = await studio.ask("hello");
    expect(await claimable()).toBe(0);
    expect(await waitsFor(run.id)).toEqual({
      reason: expect.stringMatching(
        /Simulated 500\. Runs of this model wait, and one of them is retried soon\.$/,
      ),
      notBefore: clock.now() + 1_000,
    });
    const picture = await studio.make("a quay", { model: studio.models.openaiImage });
    expect(await studio.ended(picture.id)).toMatchObject({ state: "succeeded" });
    clock.advance(999);
    expect(await claimable()).toBe(0);
    expect(await studio.runOf(run.id)).toMatchObject({ state: "queued", attempts: 0 });
    expect(posts()).toBe(before + 1);
  });

  it.each([
    ["errors of its own", overloaded],
    ["errors of something between", between],
    ["cut connections", { kind: "reset", at: "request" }],
    ["a used-up quota", { kind: "status", status: 402 }],
    ["403", { kind: "status", status: 403 }],
  ] as [string, Fault][])(
    "one input alone, however often it meets %s, stops nobody",
    async (_what, fault) => {
      const { studio, circuits, connection } = await createScene(await create());
      for (let i = 0; i < 7; i++) {
        studio.openai.script({ fault });
        await studio.ended((await studio.ask("the same words")).run.id);
      }
      expect((await circuits()).map(({ openedAt, inputs }) => [openedAt, inputs.length])).toEqual([
        [null, 1],
      ]);
      expect(await connection()).toMatchObject({ status: "ok" });
      expect(await studio.ended((await studio.ask("other words")).run.id)).toMatchObject({
        state: "succeeded",
      });
      expect(await circuits()).toEqual([]);
    },
  );

  it("when a pause is over one run goes through alone, and its answer releases the others at once", async () => {
    const { clock, studio, circuits, fail, claimable, posts } = await createScene(await create());
    await fail(5);
    const before = posts();
    studio.openai.script({ text: "here again", gate: { name: "probe", at: "head" } });
    const runs = [await studio.ask("one"), await studio.ask("two"), await studio.ask("three")].map(
      ({ run }) => run.id,
    );
    clock.advance(1_000);
    await studio.openai.reached("probe");
    expect(await claimable()).toBe(0);
    expect(posts()).toBe(before + 1);
    studio.openai.open("probe");
    for (const id of runs) expect(await studio.ended(id)).toMatchObject({ state: "succeeded" });
    expect(posts()).toBe(before + 3);
    expect(await circuits()).toEqual([]);
  });

  it("a probe that is refused doubles the pause, returns to the queue, and uses up none of its attempts", async () => {
    const { clock, studio, circuit, chat, fail } = await createScene(await create());
    await fail(5);
    const { run } = await studio.ask("probe");
    for (const [i, pause] of [2_000, 4_000, 8_000, 16_000, 30_000].entries()) {
      studio.openai.script({ fault: overloaded });
      clock.advance(30_500);
      await until("the probe is back", async () => {
        const { state, probes } = await studio.runOf(run.id);
        return state === "queued" && probes === i + 1;
      });
      expect(await circuit("overload", chat)).toMatchObject({ pausedUntil: clock.now() + pause });
      expect(await studio.runOf(run.id)).toMatchObject({ notBefore: clock.now() + pause + 500 });
    }
    clock.advance(30_500);
    expect(await studio.ended(run.id)).toMatchObject({
      state: "succeeded",
      attempts: 6,
      probes: 5,
    });
  });

  it("a probe that never returns lets another one through", async () => {
    const { clock, studio, circuit, chat, fail, claimable } = await createScene(await create());
    await fail(5);
    studio.openai.script({ gate: { name: "never", at: "head" } });
    await studio.ask("unheard");
    clock.advance(1_000);
    await studio.openai.reached("never");
    await studio.ask("next");
    expect(await claimable()).toBe(0);
    clock.advance(30_000);
    await until(
      "another probe goes through",
      async () => (await circuit("overload", chat))?.pausedUntil !== clock.now(),
    );
    studio.openai.open("never");
  });

  it("a key that is refused opens at once, for everybody, until a check passes or the key is changed", async () => {
    const { clock, studio, connection, connectionId, circuits, fail, claimable, waitsFor, posts } =
      await createScene(await create());
    const values = { key: studio.openai.key };
    const ways = [
      () => studio.person.call("checkConnection", { params: { connectionId } }),
      () => studio.person.call("updateConnection", { params: { connectionId }, body: { values } }),
    ];
    for (const way of ways) {
      await fail(1, { kind: "status", status: 401 });
      expect(await connection()).toMatchObject({ status: "failing" });
      const { run } = await studio.ask("one");
      const before = posts();
      clock.advance(24 * 60 * 60_000);
      expect(await claimable()).toBe(0);
      expect(await waitsFor(run.id)).toEqual({
        reason: expect.stringMatching(/Runs wait until the key is changed or a check passes\.$/),
        notBefore: null,
      });
      expect(posts()).toBe(before);
      expect((await way()).status).toBe(200);
      expect(await studio.ended(run.id)).toMatchObject({ state: "succeeded" });
      expect(await circuits()).toEqual([]);
    }
    expect((await connection()).status).not.toBe("failing");
  });

  it("a used-up quota pauses the connection for as long as the provider asks, from one to ten minutes", async () => {
    const { clock, studio, connection, circuit, claimable, fail } = await createScene(
      await create(),
    );
    await fail(2, { kind: "status", status: 402, headers: { "retry-after": "120" } });
    expect(await circuit("quota")).toMatchObject({ pausedUntil: clock.now() + 120_000 });
    expect(await connection()).toMatchObject({ status: "failing" });
    const { run } = await studio.ask("later");
    clock.advance(119_999);
    expect(await claimable()).toBe(0);
    clock.advance(1);
    expect(await studio.ended(run.id)).toMatchObject({ state: "succeeded", attempts: 1 });
    expect(await connection()).toMatchObject({ status: "ok", statusDetail: null });
  });

  it("a network that fails is probed by a free question alone: no POST is sent before it answers", async () => {
    const { clock, studio, connection, circuit, waitsFor, fail, posts } = await createScene(
      await create(),
    );
    const { requests } = studio.openai;
    await fail(4, between);
    studio.openai.setAway(true);
    await studio.ended((await studio.ask("the fifth")).run.id);
    await until(
      "it was asked, and is silent",
      async () => (await circuit("network"))?.pausedUntil === clock.now() + 1_000,
    );
    expect(await connection()).toMatchObject({
      status: "failing",
      statusDetail: expect.stringMatching(/It is checked automatically\.$/),
    });
    const before = posts();
    const { run } = await studio.ask("in the dark");
    expect((await waitsFor(run.id))?.notBefore).toBe(clock.now() + 1_000);
    requests.length = 0;
    for (const pause of [2_000, 4_000]) {
      clock.advance(pause / 2);
      await until(
        "it was asked again",
        async () => (await circuit("network"))?.pausedUntil === clock.now() + pause,
      );
    }
    expect(new Set(requests)).toEqual(new Set(["GET /v1/models"]));
    expect(await studio.runOf(run.id)).toMatchObject({ state: "queued", attempts: 0 });
    studio.openai.setAway(false);
    clock.advance(4_000);
    expect(await studio.ended(run.id)).toMatchObject({ state: "succeeded", attempts: 1 });
    expect(posts()).toBe(before + 1);
    expect(await connection()).toMatchObject({ status: "ok", statusDetail: null });
  });

  it("a gateway's errors on one route pause nothing if the service itself answers", async () => {
    const { studio, circuits, connection, fail } = await createScene(await create());
    await fail(5, between);
    await until("it was asked, and answered", async () => (await circuits()).length === 0);
    expect(await connection()).toMatchObject({ status: "ok" });
    expect(await studio.ended((await studio.ask("hello")).run.id)).toMatchObject({
      state: "succeeded",
    });
  });

  it("a missing server is shown as failing after one run's attempts, and the next run waits without using its own", async () => {
    const { clock, studio } = await createScene(await create());
    const { connectionId } = studio.models.ollama;
    const network = async () => (await listCircuits(studio.instance.store.db, connectionId))[0];
    await studio.ollama.stop();
    const first = await studio.ask("is anybody there", "ollama");
    for (let attempt = 1; attempt < 4; attempt++) {
      await until("it waits for its next attempt", async () => {
        const run = await studio.runOf(first.run.id);
        return run.state === "queued" && run.attempts === attempt;
      });
      clock.advance(60_000);
    }
    expect(await studio.ended(first.run.id)).toMatchObject({
      state: "failed",
      error: { code: "provider_unreachable" },
    });
    await until(
      "it was asked, and is silent",
      async () => (await network())?.openedAt === clock.now(),
    );
    const shown = await getConnection(studio.instance.store.db, connectionId);
    expect(shown).toMatchObject({
      status: "failing",
      statusDetail: expect.stringMatching(/ refused the connection\./),
    });
    const second = await studio.ask("is anybody there", "ollama");
    clock.advance(1_000);
    await until(
      "it was asked again",
      async () => (await network())?.pausedUntil === clock.now() + 2_000,
    );
    expect(await studio.runOf(second.run.id)).toMatchObject({ state: "queued", attempts: 0 });
  });

  it("a refusal is an answer: it opens nothing, and ends a row of failures", async () => {
    const { circuit, circuits, chat, fail } = await createScene(await create());
    await fail(4);
    for (const status of [400, 404, 413, 422]) await fail(1, { kind: "status", status });
    expect(await circuits()).toEqual([]);
    await fail(4);
    await fail(1, { kind: "html" });
    expect(await circuit("overload", chat)).toMatchObject({ failures: 4, openedAt: null });
  });

  it("a pause that the clock jumped away from is over", async () => {
    const { clock, studio, fail } = await createScene(await create());
    await fail(5);
    const { run } = await studio.ask("hello");
    clock.advance(-24 * 60 * 60_000);
    expect(await studio.ended(run.id)).toMatchObject({ state: "succeeded" });
  });
  it("a job whose server died shows the time of its next poll, and its connection is shown as failing", async () => {
    const studio = await createStudio(await create(), {
      endsWithTest: true,
      fal: { pace: { by: "time", stepMs: 60_000 } },
    });
    const { connectionId } = studio.models.fal;
    const run = await studio.make("a quay in the fog");
    await studio.inState(run.id, "submitted", "running");
    await studio.fal.stop();
    await until("it says so", async () =>
      (await studio.events(run.id)).some(({ type }) => type === "service-silent"),
    );
    const told = (await studio.events(run.id)).find(({ type }) => type === "service-silent")!;
    expect(told.payload).toEqual({
      reason: expect.stringMatching(/ refused the connection\./),
      notBefore: expect.any(Number),
    });
    const shown = await until("its connection is shown as failing", async () => {
      const connection = await getConnection(studio.instance.store.db, connectionId);
      return connection?.status === "failing" && connection;
    });
    expect(shown.statusDetail).toMatch(/ refused the connection\./);
  });
});
