import { expect, it } from "vitest";
import { createLineReader, pauseAfter } from "#engine/follow/job.ts";
import { takeInHand } from "#engine/in-hand.ts";
import { resumeRun } from "#engine/recover/recover.ts";
import { type JobHandle, ProviderError } from "#providers/adapter.ts";
import { getRun } from "#store/runs/runs.ts";
import { retakeRuns } from "#store/runs/workers.ts";
import { until } from "../../../support/server/instance.ts";
import {
  createScriptedQueue,
  hourMs,
  jobNotFound,
  minuteMs,
} from "../../../support/services/scripted-queue.ts";

it("a job that its provider doesn't find just after accepting it is polled again", async () => {
  let asked = 0;
  const scene = await createScriptedQueue({
    status: async () => {
      if (asked++ === 0) throw jobNotFound();
      return { state: "done" };
    },
  });
  expect(await scene.inState(await scene.make(), "succeeded")).toMatchObject({ attempts: 1 });
  expect(asked).toBe(2);
});

it.each([
  "provider_invalid_input",
  "output_unavailable",
  "model_gone",
  "provider_rejected",
] as const)(
  "a poll that fails with %s proves nothing about the job: it is polled for a day, then unconfirmed with its ID",
  async (code) => {
    let asked = 0;
    const scene = await createScriptedQueue({
      status: async () => {
        asked++;
        throw new ProviderError(code, "no", { message: "This key does not see it." });
      },
    });
    const id = await scene.make();
    await until("it was asked", async () => asked === 1);
    scene.jump.ms += 23 * hourMs;
    await until("it was asked again", async () => asked === 2);
    expect((await getRun(scene.instance.store.db, id))?.state).toBe("submitted");
    scene.jump.ms += 2 * hourMs;
    expect(await scene.inState(id, "unconfirmed")).toMatchObject({
      error: { cause: "This key does not see it." },
    });
    expect(await scene.attempts(id)).toMatchObject([{ providerRequestId: "job-1" }]);
  },
);

it("a run whose job can't be polled for ten minutes frees its place", async () => {
  let asked = 0;
  const scene = await createScriptedQueue({
    submit: async ({ input }, context) => {
      context.markSent!();
      return { id: String(input.prompt), urls: {} };
    },
    status: async ({ id }) => {
      if (id !== "silent") return { state: "done" };
      asked++;
      throw jobNotFound();
    },
  });
  const { db } = scene.instance.store;
  await db.updateTable("connection").set({ media_places: 1 }).execute();
  const silent = await scene.make("silent");
  await until("it was asked", async () => asked === 1);
  const next = await scene.make("next");
  expect((await getRun(db, next))?.state).toBe("queued");
  scene.jump.ms += 11 * minuteMs;
  await scene.inState(next, "succeeded");
  expect((await getRun(db, silent))?.state).toBe("submitted");
});

it("a provider may forget a job that it stopped: the run is then canceled", async () => {
  let stopped = false;
  const scene = await createScriptedQueue({
    status: async () => {
      if (stopped) throw jobNotFound();
      return { state: "running" };
    },
    cancel: async () => {
      stopped = true;
      return true;
    },
  });
  const id = await scene.make();
  await scene.inState(id, "running");
  await scene.instance.engine.cancelRun(id);
  await scene.inState(id, "cancelled");
});

it("a submit without an answer for a minute is unconfirmed, and a late answer names its job, without a second POST", async () => {
  const late = Promise.withResolvers<JobHandle>();
  let posts = 0;
  const scene = await createScriptedQueue({
    submit: (_request, context) => {
      context.markSent!();
      posts++;
      return late.promise;
    },
  });
  const id = await scene.make();
  await until("it was sent", async () => posts === 1);
  scene.jump.ms += 30_000;
  expect((await getRun(scene.instance.store.db, id))?.state).toBe("submitting");
  await until("it is unconfirmed", async () => {
    scene.jump.ms += 31_000;
    return (await getRun(scene.instance.store.db, id))?.state === "unconfirmed";
  });
  late.resolve({ id: "late", urls: {} });
  await scene.inState(id, "succeeded");
  expect(await scene.attempts(id)).toMatchObject([{ providerRequestId: "late" }]);
  expect(posts).toBe(1);
});

it("a refused run whose provider has the job anyway gets its cost and files when a person names it", async () => {
  const scene = await createScriptedQueue({
    async submit() {
      throw new ProviderError("provider_invalid_input", "no", { message: "No." });
    },
    result: async () => ({
      files: [{ name: "thing.txt", url: "http://127.0.0.1:1/thing.txt" }],
      result: {},
      usage: {},
      costMicros: 40_000,
    }),
  });
  const { db } = scene.instance.store;
  const id = await scene.make();
  await scene.inState(id, "failed");
  await expect(scene.instance.engine.attachJob(id, { requestId: "job-9" })).rejects.toMatchObject({
    code: "conflict",
  });
  await db.updateTable("run").set({ cost_basis: "assumed" }).where("id", "=", id).execute();
  expect(await scene.instance.engine.attachJob(id, { requestId: "job-9" })).toBe(true);
  expect(await getRun(db, id)).toMatchObject({
    state: "failed",
    costMicros: 40_000,
    costBasis: "known",
    warnings: [{ type: "late" }],
  });
  expect(await scene.attempts(id)).toMatchObject([{ providerRequestId: "job-9" }]);
});

it("a submit's answer that names its job is enough to poll it, even if the rest is unreadable", async () => {
  const scene = await createScriptedQueue({
    async submit(_request, context) {
      context.markSent!();
      throw new ProviderError("outcome_unknown", "unknown", { requestId: "named" });
    },
  });
  const id = await scene.make();
  await scene.inState(id, "succeeded");
  expect(await scene.attempts(id)).toMatchObject([{ providerRequestId: "named" }]);
});

it.each([
  ["a 502", { httpStatus: 502 }, true, 10_000],
  ["a 502 with a time to wait", { httpStatus: 502, retryAfterMs: 20_000 }, true, 20_000],
  ["a 502 after its slot was given back", { httpStatus: 502 }, false, 32_000],
  ["no answer", {}, true, 32_000],
] as const)("a job is polled again soon after a server's error: %s", (_, detail, hasSlot, ms) => {
  const error = new ProviderError("provider_failed", "no", detail);
  expect(pauseAfter(error, 32_000, hasSlot)).toBe(ms);
});

it("a log that is sent whole each time, or by its end, is written once", () => {
  const read = createLineReader();
  const line = (message: string, at: number) => ({ message, at });
  const [a, b, c, d] = [line("a", 1), line("b", 2), line("c", 3), line("d", 4)];
  expect(read([a!, b!])).toEqual([a, b]);
  expect(read([a!, b!])).toEqual([]);
  expect(read([a!, b!, c!])).toEqual([c]);
  expect(read([b!, c!, d!])).toEqual([d]);
  expect(read([line("e", 5)])).toEqual([line("e", 5)]);
});

it("a job's log line is written once, also after another worker takes over", async () => {
  const said = [{ message: "a" }, { message: "b" }];
  let asked = 0;
  const scene = await createScriptedQueue({
    status: async () => {
      // One of our own log lines is between the provider's.
      if (asked++ === 1) throw new ProviderError("provider_unreachable", "no");
      if (asked === 3) said.push({ message: "c" });
      return { state: said.length > 3 ? "done" : "running", logs: said };
    },
  });
  const id = await scene.make();
  const written = async () =>
    (await scene.events(id)).flatMap(({ type, payload }) =>
      type === "log" && !payload.own ? (payload.lines as { message: string }[]) : [],
    );
  await until("its log is there", async () => (await written()).length === 3);
  const { workerId } = await scene.runOf(id);
  const [taken] = await scene.instance.commit(({ tx }) => retakeRuns(tx, workerId!, [id]));
  const inHand = await takeInHand(scene.instance.engineDeps, taken!, false);
  const resumed = resumeRun(scene.instance.engineDeps, inHand, new AbortController().signal);
  said.push({ message: "d" });
  await resumed;
  await scene.inState(id, "succeeded");
  expect((await written()).map(({ message }) => message)).toEqual(["a", "b", "c", "d"]);
});
