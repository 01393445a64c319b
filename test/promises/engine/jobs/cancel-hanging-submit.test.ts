import { expect, it } from "vitest";
import { type JobHandle, ProviderError } from "#providers/adapter.ts";
import { onSqlite } from "../../../support/databases/databases.ts";
import { until } from "../../../support/server/instance.ts";
import { createScriptedQueue, minuteMs } from "../../../support/services/scripted-queue.ts";
import { createWebhookStudio } from "../../../support/studio/webhook-studio.ts";

onSqlite((create) => {
  /**
   * A queue that accepts a job, answers its submit on request, keeps the job running, and stops it
   * when asked.
   */
  async function createHangingQueue() {
    const late = Promise.withResolvers<JobHandle>();
    const told = { posts: 0, cancelled: [] as string[] };
    const queue = await createScriptedQueue(
      {
        submit(_request, context) {
          context.markSent!();
          told.posts++;
          return late.promise;
        },
        status: async () => {
          if (told.cancelled.length === 0) return { state: "running" };
          throw new ProviderError("output_unavailable", "yes", {
            final: true,
            message: "Stopped.",
          });
        },
        cancel: async ({ id }) => {
          told.cancelled.push(id);
          return true;
        },
      },
      { database: await create() },
    );
    const id = await queue.make();
    await until("it was sent", async () => told.posts === 1);
    return {
      ...queue,
      id,
      told,
      late,
      cancel: () => queue.person.call("cancelRun", { params: { runId: id } }),
    };
  }

  it("a cancel during a hanging submit is sent when the late answer names the job", async () => {
    const { cancel, passTo, late, inState, id, told, attempts } = await createHangingQueue();
    expect((await cancel()).status).toBe(200);
    await passTo(id, "unconfirmed");
    late.resolve({ id: "late", urls: {} });
    await inState(id, "cancelled");
    expect(told).toEqual({ posts: 1, cancelled: ["late"] });
    expect(await attempts(id)).toMatchObject([{ providerRequestId: "late" }]);
  });

  it("a cancel of an unconfirmed run is saved, and sent when the late answer names the job", async () => {
    const { cancel, passTo, late, inState, id, told, events } = await createHangingQueue();
    await passTo(id, "unconfirmed");
    expect(await cancel()).toMatchObject({
      status: 200,
      body: { run: { state: "unconfirmed", cancelRequestedAt: expect.any(Number) } },
    });
    late.resolve({ id: "late", urls: {} });
    await inState(id, "cancelled");
    expect(told).toEqual({ posts: 1, cancelled: ["late"] });
    expect((await events(id)).filter(({ type }) => type === "cancel-requested")).toHaveLength(1);
  });

  it("a cancel of an unconfirmed run with a known job is sent at once", async () => {
    let isMute = false;
    const cancelled: string[] = [];
    const { make, inState, passTo, instance } = await createScriptedQueue(
      {
        status: async () => {
          if (isMute) throw new ProviderError("provider_unreachable", "yes");
          if (cancelled.length > 0)
            throw new ProviderError("output_unavailable", "yes", {
              final: true,
              message: "Stopped.",
            });
          return { state: "running" };
        },
        cancel: async ({ id }) => {
          cancelled.push(id);
          return true;
        },
      },
      { database: await create() },
    );
    const id = await make();
    await inState(id, "running");
    isMute = true;
    await passTo(id, "unconfirmed");
    isMute = false;
    await instance.engine.cancelRun(id);
    await inState(id, "cancelled");
    expect(cancelled).toEqual(["job-1"]);
  });

  it("an unconfirmed run without a job can't be canceled: its person decides", async () => {
    const { make, inState, person } = await createScriptedQueue(
      {},
      { database: await create(), kind: { prefersAnswer: () => true, answer } },
    );
    const id = await make();
    await inState(id, "unconfirmed");
    expect(await person.call("cancelRun", { params: { runId: id } })).toMatchObject({
      status: 409,
      body: { code: "conflict" },
    });
  });

  it("a cancel of an unconfirmed run is sent when its provider's webhook names the job", async () => {
    let laterMs = 0;
    const clock = { now: () => Date.now(), monotonic: () => performance.now() + laterMs };
    const studio = await createWebhookStudio(await create(), {
      endsWithTest: true,
      instance: { clock },
    });
    const prompt = "unwanted [sim:hold-reply][sim:webhook-hold][sim:hold][sim:stops-on-cancel]";
    const run = await studio.make(prompt);
    await until("it is unconfirmed", async () => {
      laterMs += minuteMs;
      return (await studio.runOf(run.id)).state === "unconfirmed";
    });
    expect((await studio.person.call("cancelRun", { params: { runId: run.id } })).status).toBe(200);
    await studio.fal.deliver(prompt);
    await studio.inState(run.id, "cancelled");
    expect(studio.fal.ledger.postsOf(prompt)).toBe(1);
    expect(
      studio.fal.ledger.requests.filter(
        (request) => request.startsWith("PUT") && request.endsWith("/cancel"),
      ),
    ).toHaveLength(1);
  });
});

// biome-ignore lint/correctness/useYield: it breaks before its first word
async function* answer(_request: unknown, context: { markSent?(): void }): AsyncGenerator<never> {
  context.markSent!();
  throw new ProviderError("provider_interrupted", "unknown");
}
