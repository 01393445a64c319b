import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import type { Budget } from "#contract/entities.ts";
import type { ProblemBody } from "#contract/errors.ts";
import { checkConnection } from "#engine/connections/catalogue.ts";
import { forEachDatabase } from "../../../support/databases/databases.ts";
import { type Caller, until } from "../../../support/server/instance.ts";
import { createSessionStudio, type SessionStudio } from "../../../support/studio/session-studio.ts";

forEachDatabase((_, create) => {
  let here: SessionStudio;
  beforeAll(async () => {
    here = await createSessionStudio(await create());
  });
  afterAll(() => here.close());
  beforeEach(() => here.clear());

  async function budget(
    limitMicros: number,
    setting: Partial<Pick<Budget, "onLimit" | "scope">> & { scopeId?: string } = {},
  ): Promise<void> {
    const { scopeId, ...rest } = setting;
    const body = {
      scope: "instance",
      scopeIds: [scopeId ?? null],
      period: "total",
      timeZone: "UTC",
      onLimit: "block",
      ...rest,
      limitMicros,
    };
    expect(await here.studio.person.call("setBudgets", { body })).toMatchObject({ status: 200 });
  }
  /** A person who has spent nothing so far, with a budget of this amount. */
  async function payer(limitMicros: number): Promise<Caller> {
    const person = await here.studio.instance.createPerson(`payer-${limitMicros}@example.org`);
    await budget(limitMicros, { scope: "user", scopeId: person.user.id });
    return person;
  }
  const balance = async () => {
    const rows = await here.studio.instance.store.db
      .selectFrom("balance")
      .select(["spent_micros", "held_micros"])
      .execute();
    return rows.map((row) => ({ spent: Number(row.spent_micros), held: Number(row.held_micros) }));
  };

  it("money is reserved one minute ahead repeatedly, and released at the end", async () => {
    const { studio, clock, start, expectGoodBooks } = here;
    const who = await payer(1_000_000);
    const { canvas, runId } = await start({ who });
    for (let minute = 1, before = 60_000; minute <= 2; minute++) {
      clock.advance(45_000);
      canvas.draw({ prompt: "on and on" });
      const held = await until("more is held", async () => {
        const { heldMicros } = await studio.runOf(runId);
        return heldMicros > before && heldMicros;
      });
      // The usage up to the second of the check, plus a minute.
      expect(held).toBeGreaterThanOrEqual(60_000 + minute * 45_000);
      expect((await balance())[0]).toMatchObject({ spent: 0, held });
      before = held;
    }
    canvas.ws.close();
    const run = await studio.ended(runId);
    expect(run).toMatchObject({ state: "succeeded", heldMicros: 0, costBasis: "estimated" });
    expect((await balance())[0]).toEqual({ spent: run.costMicros, held: 0 });
    expect((await studio.events(runId)).filter(({ type }) => type === "session-held")).toHaveLength(
      2,
    );
    expect((await studio.spentOf(runId)).map(({ kind }) => kind)).toEqual(["spend"]);
    await expectGoodBooks();
  });

  it("an exhausted budget ends the session when its reservation is used up, with a sentence that names it", async () => {
    const { studio, clock, live, open, start, expectGoodBooks } = here;
    const who = await payer(80_000);
    const { canvas, runId } = await start({ who });
    clock.advance(45_000);
    canvas.draw({ prompt: "before the end" });
    const { ending } = await canvas.heard("ending");
    expect(ending.problem).toMatchObject({
      code: "budget_exceeded",
      detail: expect.stringContaining("budget of $0.08 has $0.02 left"),
    });
    // The reservation is still enough to draw.
    await canvas.frameCame();
    expect((await studio.runOf(runId)).heldMicros).toBe(60_000);
    clock.advance(12_500);
    const { ended } = await canvas.heard("ended");
    expect(ended.problem).toMatchObject({ code: "budget_exceeded" });
    const run = await studio.runOf(runId);
    expect(run).toMatchObject({
      state: "succeeded",
      heldMicros: 0,
      warnings: [{ feature: "budget", message: expect.stringContaining("$0.08") }],
    });
    expect(run.costMicros).toBeLessThanOrEqual(60_000);
    expect((await balance())[0]?.spent).toBeLessThanOrEqual(80_000);
    const canvasAfter = await open(who);
    canvasAfter.say({
      start: { projectId: who.projectId, model: live(), settings: { prompt: "again" } },
    });
    expect((await canvasAfter.heard("failed")).failed).toMatchObject({
      of: "start",
      problem: { code: "budget_exceeded" },
    });
    await expectGoodBooks();
  });

  it("budgets that block, need approval or meet an unknown price refuse a session before it starts, and leave no run", async () => {
    const { studio, live, open, start, expectGoodBooks } = here;
    const refusal = async (): Promise<ProblemBody> => {
      const canvas = await open();
      canvas.say({
        start: { projectId: studio.person.projectId, model: live(), settings: { prompt: "no" } },
      });
      return (await canvas.heard("failed")).failed.problem;
    };
    const count = async () =>
      (await studio.instance.store.db.selectFrom("run").select("id").execute()).length;
    const before = await count();
    await budget(59_999, { scope: "project", scopeId: studio.person.projectId });
    expect(await refusal()).toMatchObject({
      code: "budget_exceeded",
      scope: "project",
      neededMicros: 60_000,
    });
    await budget(59_999, { scope: "project", scopeId: studio.person.projectId, onLimit: "ask" });
    expect(await refusal()).toMatchObject({
      code: "budget_exceeded",
      detail: expect.stringContaining("can’t wait for approval"),
    });
    await studio.instance.store.db
      .updateTable("model")
      .set({ price: null })
      .where("model_id", "=", "sim/klein/realtime")
      .execute();
    await budget(1e9, { scope: "user", scopeId: studio.person.user.id });
    expect(await refusal()).toMatchObject({
      code: expect.stringMatching(/^(ceiling_needed|budget_exceeded)$/),
    });
    expect(await count()).toBe(before);
    expect(studio.instance.engine.openSessions()).toBe(0);
    await studio.instance.store.db.deleteFrom("budget").execute();
    const { canvas, runId, started } = await start();
    expect(started).toMatchObject({ heldMicros: 0, costMicros: null });
    canvas.say({ stop: true });
    await canvas.heard("ended");
    expect(await studio.runOf(runId)).toMatchObject({
      state: "succeeded",
      costMicros: null,
      costBasis: null,
    });
    await checkConnection(studio.instance.engineDeps, studio.models.fal.connectionId);
    await expectGoodBooks();
  });

  it("per-picture prices are counted by the picture, and sixty are reserved", async () => {
    const { studio, start, expectGoodBooks } = here;
    const { canvas, runId, started } = await start({ modelId: "sim/lcm" });
    expect(started.heldMicros).toBe(180_000);
    for (let i = 0; i < 50; i++) {
      canvas.draw({ prompt: `stroke ${i}` });
      await canvas.frameCame(i + 1);
    }
    await until("more is held", async () => (await studio.runOf(runId)).heldMicros > 180_000);
    canvas.say({ stop: true });
    const { ended } = await canvas.heard("ended");
    expect(ended).toMatchObject({ costMicros: 150_000, costBasis: "known" });
    await expectGoodBooks();
  });

  it("an input at the model when a session ends is counted, as an estimate", async () => {
    const { studio, start, expectGoodBooks } = here;
    const { canvas } = await start({ modelId: "sim/lcm" });
    canvas.draw({ prompt: "a stroke" });
    await canvas.frameCame(1);
    const seen = studio.fal.realtime.inputs.length;
    canvas.draw({ prompt: "[sim:frame-hold] never shown" });
    await until("the model has it", async () => studio.fal.realtime.inputs.length === seen + 1);
    canvas.say({ stop: true });
    const { ended } = await canvas.heard("ended");
    expect(ended).toMatchObject({ costMicros: 6_000, costBasis: "estimated" });
    studio.fal.realtime.release();
    await expectGoodBooks();
  });
});
