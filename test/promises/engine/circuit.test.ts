import { expect, it } from "vitest";
import { claimRuns } from "#store/claims.ts";
import { getConnection } from "#store/connections.ts";
import type { Fault } from "../../simulators/openai-compatible.ts";
import { forEachDatabase, type TestDatabase } from "../../support/databases.ts";
import { createTestClock, until } from "../../support/instance.ts";
import { createStudio } from "../../support/studio.ts";

/** A studio on a clock of its own, with a connection whose service can be made to fail. */
async function createScene(database: TestDatabase) {
  const clock = createTestClock();
  const studio = await createStudio(database, { endsWithTest: true, instance: { clock } });
  const { store } = studio.instance;
  const { connectionId } = studio.models.openai;
  const connection = async () => (await getConnection(store.db, connectionId))!;
  /** Runs that meet a fault, one after the other. */
  async function fail(times: number, fault: Fault = { kind: "status", status: 500 }): Promise<void> {
    for (let i = 0; i < times; i++) {
      studio.openai.script({ fault });
      await studio.ended((await studio.ask("hello")).run.id);
    }
  }
  /** What any server of this database could claim now. */
  const claimable = async (): Promise<number> => {
    const nothing = new Error("only asked");
    let found = 0;
    const ask = studio.instance.commit(async (tx, outbox) => {
      const of = { connectionId, workerId: "another server", clientToken: studio.instance.deps.ids, at: clock.now(), most: 16 };
      found = (await claimRuns(store, tx, outbox, of)).length;
      throw nothing;
    });
    await expect(ask).rejects.toBe(nothing);
    return found;
  };
  return { clock, studio, connectionId, connection, fail, claimable, posts: () => studio.openai.posts.length };
}

forEachDatabase((_, create) => {
  it("after five failures in a row that speak of the service nothing more is claimed, and the connection says so", async () => {
    const { clock, studio, connection, fail, claimable, posts } = await createScene(await create());
    await fail(4);
    expect(await connection()).toMatchObject({ status: "ok", circuit: { failures: 4, pausedUntil: null } });
    await fail(1, { kind: "reset", at: "request" });
    const open = await connection();
    expect(open).toMatchObject({ status: "failing", circuit: { failures: 5, pausedUntil: clock.now() + 30_000 } });
    expect(open.statusDetail).toMatch(/^The provider did not confirm this\. That is 5 failures in a row: /);
    const before = posts();
    const { run } = await studio.ask("hello");
    expect(await claimable()).toBe(0);
    clock.advance(29_999);
    expect(await claimable()).toBe(0);
    expect(await studio.runOf(run.id)).toMatchObject({ state: "queued", attempts: 0 });
    expect(posts()).toBe(before);
    const shown = await studio.person.call<{ pause: string | null }>("getRun", { params: { runId: run.id } });
    expect(shown.body.pause).toBe(open.statusDetail);
  });

  it("when the pause is over one run goes through alone, and its answer lets the others follow at once", async () => {
    const { clock, studio, connection, fail, claimable, posts } = await createScene(await create());
    await fail(5);
    const before = posts();
    studio.openai.script({ text: "here again", gate: { name: "probe", at: "head" } });
    const runs = [await studio.ask("one"), await studio.ask("two"), await studio.ask("three")].map(({ run }) => run.id);
    clock.advance(30_000);
    await studio.openai.reached("probe");
    expect(await claimable()).toBe(0);
    expect(posts()).toBe(before + 1);
    studio.openai.open("probe");
    for (const id of runs) expect(await studio.ended(id)).toMatchObject({ state: "succeeded" });
    expect(posts()).toBe(before + 3);
    expect(await connection()).toMatchObject({ status: "ok", statusDetail: null, circuit: { failures: 0, pausedUntil: null } });
  });

  it("a probe that fails doubles the pause, and one that is never heard of again lets another one through", async () => {
    const { clock, studio, connection, fail, claimable } = await createScene(await create());
    await fail(5);
    studio.openai.script({ fault: { kind: "status", status: 502 } });
    const probe = await studio.ask("probe");
    clock.advance(30_000);
    await studio.ended(probe.run.id);
    expect(await connection()).toMatchObject({ circuit: { failures: 6, pausedUntil: clock.now() + 60_000 } });

    studio.openai.script({ gate: { name: "never", at: "head" } });
    await studio.ask("unheard");
    clock.advance(60_000);
    await studio.openai.reached("never");
    await studio.ask("next");
    expect(await claimable()).toBe(0);
    clock.advance(30_000);
    await until("another probe goes through", async () => (await connection()).circuit.pausedUntil !== clock.now());
    studio.openai.open("never");
  });

  it("a refusal is an answer: it opens nothing, and ends a row of failures", async () => {
    const { connection, fail } = await createScene(await create());
    await fail(4);
    await fail(1, { kind: "status", status: 401 });
    expect(await connection()).toMatchObject({ status: "ok", circuit: { failures: 0, pausedUntil: null } });
    for (const status of [400, 402, 403, 404, 413, 422]) await fail(1, { kind: "status", status });
    expect(await connection()).toMatchObject({ circuit: { failures: 0, pausedUntil: null } });
    await fail(4);
    await fail(1, { kind: "html" });
    expect(await connection()).toMatchObject({ status: "ok", circuit: { failures: 4, pausedUntil: null } });
  });

  it("a server that can't be reached is tried by no run more than four times, and the fifth failure spares the next one", async () => {
    const { clock, studio } = await createScene(await create());
    const { connectionId } = studio.models.ollama;
    const circuit = async () => (await getConnection(studio.instance.store.db, connectionId))!.circuit;
    await studio.ollama.stop();
    const first = await studio.ask("is anybody there", "ollama");
    for (let attempt = 1; attempt < 4; attempt++) {
      await until("it waits for its next attempt", async () => {
        const run = await studio.runOf(first.run.id);
        return run.state === "queued" && run.attempts === attempt;
      });
      clock.advance(60_000);
    }
    expect(await studio.ended(first.run.id)).toMatchObject({ state: "failed", error: { code: "provider_unreachable" } });
    expect(await circuit()).toEqual({ failures: 4, pausedUntil: null });
    // Shown as such, before a second run meets it.
    const shown = await getConnection(studio.instance.store.db, connectionId);
    expect(shown).toMatchObject({ status: "failing", statusDetail: expect.stringMatching(/^Nothing answers at /) });
    const second = await studio.ask("is anybody there", "ollama");
    await until("it waits", async () => (await studio.runOf(second.run.id)).attempts === 1);
    await until("the circuit is open", async () => (await circuit()).pausedUntil === clock.now() + 30_000);
  });

  it("a check that succeeds closes it at once, and so does a change of the connection", async () => {
    const { studio, connection, connectionId, fail } = await createScene(await create());
    await fail(5);
    const first = await studio.ask("one");
    expect((await studio.person.call("checkConnection", { params: { connectionId } })).status).toBe(200);
    expect(await studio.ended(first.run.id)).toMatchObject({ state: "succeeded" });
    expect(await connection()).toMatchObject({ status: "ok", circuit: { failures: 0, pausedUntil: null } });

    await fail(5);
    const second = await studio.ask("two");
    const values = { key: studio.openai.key };
    expect((await studio.person.call("updateConnection", { params: { connectionId }, body: { values } })).status).toBe(200);
    expect(await studio.ended(second.run.id)).toMatchObject({ state: "succeeded" });
    expect(await connection()).toMatchObject({ circuit: { failures: 0, pausedUntil: null } });
  });

  it("a pause that a clock has jumped away from is over", async () => {
    const { clock, studio, fail } = await createScene(await create());
    await fail(5);
    const { run } = await studio.ask("hello");
    clock.advance(-24 * 60 * 60_000);
    expect(await studio.ended(run.id)).toMatchObject({ state: "succeeded" });
  });
});
