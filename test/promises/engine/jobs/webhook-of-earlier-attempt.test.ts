import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { adoptCosts } from "#engine/bills/adopt-costs.ts";
import { doChores } from "#engine/recover/chores.ts";
import { onSqlite } from "../../../support/databases/databases.ts";
import { until } from "../../../support/server/instance.ts";
import { createWebhookStudio, type WebhookStudio } from "../../../support/studio/webhook-studio.ts";

onSqlite((create) => {
  let studio: WebhookStudio;
  beforeAll(async () => {
    studio = await createWebhookStudio(await create());
  });
  afterAll(() => studio.close());
  beforeEach(() => studio.forgetFailures());

  /** Refused explicitly, accepted anyway, and sent again: the second job meets these faults. */
  async function sentTwice(
    prompt: string,
    ...faults: ("hold-queue" | "hold" | "hold-reply" | "lost-reply" | "webhook-hold")[]
  ) {
    studio.fal.script(prompt, "429-taken", 1);
    studio.fal.script(prompt, "webhook-hold", 1);
    const run = await studio.make(prompt);
    await until("it waits for its next try", async () => {
      const { state, attempts } = await studio.runOf(run.id);
      return state === "queued" && attempts === 1;
    });
    for (const fault of faults) studio.fal.script(prompt, fault, 1);
    await studio.instance.commit((unit) => {
      unit.outbox.queued.add(run.connectionId);
      return unit.tx
        .updateTable("run")
        .set({ not_before: null })
        .where("id", "=", run.id)
        .execute();
    });
    await until("it was sent twice", async () => studio.fal.ledger.postsOf(prompt) === 2);
    return run;
  }
  const deliverFirst = async (prompt: string) => {
    const requestId = studio.fal.requestIdOf(prompt);
    return (await studio.fal.deliver(prompt, { requestId })).map(({ status }) => status);
  };
  const micros = async (runId: string) =>
    (await studio.spentOf(runId)).map(({ kind, micros }) => [kind, Number(micros)]);
  const isCancelled = (prompt: string) => async () =>
    studio.fal.ledger.requests.some(
      (request) =>
        request.includes(studio.fal.requestIdOf(prompt, 1)) && request.includes("/cancel"),
    );
  const billed = (prompt: string) =>
    studio.fal.ledger.billed.filter((bill) => bill.prompt === prompt).length;

  it("a webhook of an attempt refused in words resolves its run, and the next attempt's job is canceled", async () => {
    const prompt = "refused, sent again, then told";
    const run = await sentTwice(prompt, "hold-queue");
    await studio.inState(run.id, "submitted");
    expect(await deliverFirst(prompt)).toEqual([200]);
    await studio.inState(run.id, "succeeded");
    await until("the second job is canceled", isCancelled(prompt));
    expect(await studio.attempts(run.id)).toMatchObject([
      { state: "refused" },
      { state: "accepted", providerRequestId: studio.fal.requestIdOf(prompt, 1) },
      { state: "ended", providerRequestId: studio.fal.requestIdOf(prompt) },
    ]);
    expect(billed(prompt)).toBe(1);
    expect(await micros(run.id)).toEqual([["spend", 25_000]]);
    expect(await studio.assetsOf(run.id)).toHaveLength(1);
  });

  it("the next attempt's hanging submit is abandoned, and its job is canceled when its ID arrives", async () => {
    const prompt = "refused, sent again without an answer, then told";
    const run = await sentTwice(prompt, "hold-reply", "hold-queue");
    expect(await studio.runOf(run.id)).toMatchObject({ state: "submitting" });
    expect(await deliverFirst(prompt)).toEqual([200]);
    await studio.inState(run.id, "succeeded");
    studio.fal.answer(prompt);
    await until("the second job is canceled", isCancelled(prompt));
    expect(await studio.attempts(run.id)).toMatchObject([
      { state: "refused" },
      { state: "accepted", providerRequestId: studio.fal.requestIdOf(prompt, 1) },
      { state: "ended" },
    ]);
    expect(await micros(run.id)).toEqual([["spend", 25_000]]);
  });

  it("a second job that can't be stopped is booked and saved when it is done, once", async () => {
    const prompt = "refused, sent again, and both made";
    const run = await sentTwice(prompt, "hold");
    await studio.inState(run.id, "running");
    expect(await deliverFirst(prompt)).toEqual([200]);
    await studio.inState(run.id, "succeeded");
    await until("the provider was asked to stop it", isCancelled(prompt));
    studio.fal.release(prompt);
    await until("both are saved", async () => (await studio.assetsOf(run.id)).length === 2);
    await studio.fal.deliver(prompt, { copies: 3 });
    await studio.instance.store.write((tx) => tx.deleteFrom("webhook_in").execute());
    await studio.fal.deliver(prompt);
    expect(billed(prompt)).toBe(2);
    expect(await micros(run.id)).toEqual([
      ["spend", 25_000],
      ["adjust", 25_000],
    ]);
    expect(await studio.runOf(run.id)).toMatchObject({
      state: "succeeded",
      costMicros: 50_000,
      warnings: [{ type: "late" }],
    });
    expect(await studio.assetsOf(run.id)).toHaveLength(2);
  });

  it("a webhook of the first attempt after the second made the run is booked and saved too", async () => {
    const prompt = "refused, made, then told of the first";
    const run = await sentTwice(prompt);
    await studio.inState(run.id, "succeeded");
    expect(await deliverFirst(prompt)).toEqual([200]);
    await until("both are saved", async () => (await studio.assetsOf(run.id)).length === 2);
    expect(await micros(run.id)).toEqual([
      ["spend", 25_000],
      ["adjust", 25_000],
    ]);
    expect(await studio.runOf(run.id)).toMatchObject({ costMicros: 50_000 });
  });

  it("a late result of the last attempt is booked and saved after that of the first, once", async () => {
    const prompt = "refused, sent again, lost, and both told late";
    const run = await sentTwice(prompt, "lost-reply", "webhook-hold");
    await studio.inState(run.id, "unconfirmed");
    await studio.person.call("resolveRun", {
      params: { runId: run.id },
      body: { outcome: "made-elsewhere", costMicros: 20_000 },
    });
    expect(await deliverFirst(prompt)).toEqual([200]);
    await until("the first is saved", async () => (await studio.assetsOf(run.id)).length === 1);
    const requestId = studio.fal.requestIdOf(prompt, 1);
    for (let time = 0; time < 2; time++) {
      await studio.fal.deliver(prompt, { requestId, copies: 3 });
      await until("both are saved", async () => (await studio.assetsOf(run.id)).length === 2);
      expect(await micros(run.id)).toEqual([
        ["spend", 20_000],
        ["adjust", 25_000],
        ["adjust", 5_000],
      ]);
      expect(await studio.runOf(run.id)).toMatchObject({ state: "failed", costMicros: 50_000 });
      await studio.instance.store.write((tx) => tx.deleteFrom("webhook_in").execute());
    }
    expect(billed(prompt)).toBe(2);
  });

  it("a late result of the last attempt is not booked again after a bill of both", async () => {
    const prompt = "refused, sent again, lost, billed, and told late";
    const run = await sentTwice(prompt, "lost-reply", "webhook-hold");
    await studio.inState(run.id, "unconfirmed");
    await studio.person.call("resolveRun", {
      params: { runId: run.id },
      body: { outcome: "made-elsewhere", costMicros: 20_000 },
    });
    expect(await deliverFirst(prompt)).toEqual([200]);
    const bill = { runId: run.id, billedMicros: 50_000, bookedMicros: 45_000 };
    const by = { actorId: run.userId, source: "bill" } as const;
    const { engineDeps } = studio.instance;
    expect(await adoptCosts(engineDeps, run.connectionId, [bill], by)).toMatchObject({ left: [] });
    await studio.fal.deliver(prompt, { requestId: studio.fal.requestIdOf(prompt, 1) });
    await until("both are saved", async () => (await studio.assetsOf(run.id)).length === 2);
    expect(await micros(run.id)).toEqual([
      ["spend", 20_000],
      ["adjust", 25_000],
      ["adjust", 5_000],
    ]);
    expect(await studio.runOf(run.id)).toMatchObject({ costMicros: 50_000, costBasis: "known" });
  });

  it.each([
    ["while the second is being sent", "hold-reply"],
    ["after the second has made the run", undefined],
  ] as const)(
    "a webhook of the first attempt whose job can't be looked up is stored, and its result saved and booked later: %s",
    async (title, fault) => {
      const prompt = `refused, told and not answered ${title}`;
      const run = await sentTwice(prompt, ...(fault ? [fault] : []));
      await studio.inState(run.id, fault ? "submitting" : "succeeded");
      studio.fal.script(prompt, "status-500", 1);
      const [status] = await deliverFirst(prompt);
      expect(status).toBeGreaterThanOrEqual(500);
      expect(await studio.outcomes()).toContain("waits");
      if (fault) studio.fal.answer(prompt);
      await studio.inState(run.id, "succeeded");
      for (let round = 0; round < 2; round++) {
        await doChores(studio.instance.engineDeps);
        expect(await micros(run.id)).toEqual([
          ["spend", 25_000],
          ["adjust", 25_000],
        ]);
        expect(await studio.assetsOf(run.id)).toHaveLength(2);
      }
      expect(await studio.outcomes()).not.toContain("waits");
    },
  );
});
