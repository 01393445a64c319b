import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import type { Task } from "#contract/tasks.ts";
import { resolveRun } from "#engine/follow/cancel.ts";
import { nothingOnWire, takeInHand } from "#engine/in-hand.ts";
import { doChores } from "#engine/recover/chores.ts";
import { resumeRun } from "#engine/recover/recover.ts";
import { loseOutcome } from "#engine/settle/fail.ts";
import { type AnswerPart, ProviderError, type Usage } from "#providers/adapter.ts";
import { getMessage, listMessages } from "#store/content/conversations.ts";
import { getRun } from "#store/runs/runs.ts";
import { retakeRuns } from "#store/runs/workers.ts";
import { type DatabaseName, forEachDatabase } from "../../../support/databases/databases.ts";
import { expectRightBooks } from "../../../support/databases/right-books.ts";
import { until } from "../../../support/server/instance.ts";
import { createPaidScene, type PaidAnswer } from "../../../support/studio/paid-scene.ts";

const picture: AnswerPart = {
  type: "file",
  output: { name: "picture.txt", bytes: Buffer.from("a picture") },
};
const broken = () =>
  new ProviderError("provider_interrupted", "yes", { message: "The line broke." });

/** A paid service, and helpers for tests of its partial answers. */
async function createScene(task: Task, answer: PaidAnswer, database?: DatabaseName) {
  const paid = await createPaidScene(task, answer, { ...(database && { database }) });
  const { instance, person, model, current } = paid;
  const arrived = Promise.withResolvers<void>();
  return {
    ...paid,
    async setCeiling(ceilingMicros: number | null) {
      const body = { modelId: model.modelId, ceilingMicros };
      const params = { connectionId: model.connectionId };
      expect(await person.call("setModelPrice", { params, body })).toMatchObject({ status: 200 });
    },
    textOf: async (sha256: string) =>
      Buffer.concat(await Array.fromAsync(await instance.engine.deps.blobs.get(sha256))).toString(),
    messageOf: async (id: string) => getMessage(instance.store.db, (await current(id)).messageId!),
    /** Called by an answer once it has sent the part that the test waits for. */
    came: arrived.resolve,
    hasCome: arrived.promise,
  };
}

it("a picture in an answer is saved when the connection breaks after it", async () => {
  const scene = await createScene("chat", async function* () {
    yield { type: "text", text: "Here it is." };
    yield picture;
    throw broken();
  });
  const id = await scene.say();
  await scene.inState(id, "failed");
  expect(await scene.assetsOf(id)).toHaveLength(1);
});

const priceSearches = (scene: Awaited<ReturnType<typeof createScene>>) => {
  const prices = [
    { unit: "input token", micros: "1" },
    { unit: "output token", micros: "1" },
    { unit: "web search", micros: "10000" },
  ];
  const form = { type: "object", properties: { webSearch: { type: "boolean" } } };
  return scene.instance.store.db
    .updateTable("model")
    .set({
      price: JSON.stringify(prices),
      input_schema: JSON.stringify(form),
    })
    .execute();
};

it("web searches before the connection breaks are part of the estimated cost", async () => {
  const scene = await createScene("chat", async function* (_signal, context) {
    for (let searches = 3; searches > 0; searches--) context.used!("web searches");
    yield { type: "text", text: "What I found so far" };
    throw broken();
  });
  await priceSearches(scene);
  const id = await scene.say();
  await scene.inState(id, "failed");
  const { usage, costMicros, costBasis } = await scene.current(id);
  const { inputTokens, outputTokens, units } = usage as Usage;
  expect(units).toEqual({ estimated: "yes", "web searches": "3" });
  expect({ costMicros, costBasis }).toEqual({
    costMicros: inputTokens! + outputTokens! + 30_000,
    costBasis: "estimated",
  });
});

it.each([
  ["what was reserved is booked", 500_000, { costMicros: 500_000, costBasis: "held" }],
  ["its cost is unknown where nothing was reserved", null, { costMicros: null, costBasis: null }],
] as const)(
  "the searches of an answer whose server died are unknown: %s",
  async (_, ceilingMicros, cost) => {
    const held = Promise.withResolvers<void>();
    const scene = await createScene("chat", async function* (_signal, context) {
      for (let searches = 3; searches > 0; searches--) context.used!("web searches");
      yield { type: "text", text: "What I found so far" };
      await held.promise;
      throw broken();
    });
    await priceSearches(scene);
    await scene.setCeiling(ceilingMicros);
    const id = await scene.say({ webSearch: true });
    const { workerId } = await scene.inState(id, "running");
    const [taken] = await scene.instance.commit(({ tx }) => retakeRuns(tx, workerId!, [id]));
    const { engineDeps } = scene.instance;
    const inHand = await takeInHand(engineDeps, taken!, false);
    await resumeRun(engineDeps, inHand, new AbortController().signal);
    expect(await scene.current(id)).toMatchObject({ state: "failed", ...cost });
    await expectRightBooks(scene.instance.store.db);
    held.resolve();
  },
);

it("it is saved when a person cancels the rest", async () => {
  const scene = await createScene("chat", async function* (signal) {
    yield { type: "text", text: "Here it is." };
    yield picture;
    await new Promise((_resolve, reject) =>
      signal.addEventListener("abort", () => reject(signal.reason as Error)),
    );
  });
  const id = await scene.say();
  await scene.inState(id, "running");
  await scene.instance.engine.cancelRun(id);
  await scene.inState(id, "cancelled");
  expect(await scene.assetsOf(id)).toHaveLength(1);
});

it("it is saved with the text when the server stops in mid-answer, and nothing is left for the next start", async () => {
  const scene = await createScene("chat", async function* (signal) {
    yield { type: "text", text: "Here it is." };
    yield picture;
    await new Promise((_resolve, reject) =>
      signal.addEventListener("abort", () => reject(signal.reason as Error)),
    );
  });
  const id = await scene.say();
  await scene.inState(id, "running");
  await scene.instance.engine.stop();
  expect(await scene.current(id)).toMatchObject({
    state: "failed",
    error: { code: "provider_interrupted" },
  });
  const [asset] = await scene.assetsOf(id);
  expect(await scene.messageOf(id)).toMatchObject({
    state: "interrupted",
    parts: [
      { type: "text", text: "Here it is." },
      { type: "file", assetId: asset!.id },
    ],
  });
});

it("it is saved when the server stops before the first word", async () => {
  const scene = await createScene("chat", async function* (signal) {
    yield picture;
    scene.came();
    await new Promise((_resolve, reject) =>
      signal.addEventListener("abort", () => reject(signal.reason as Error)),
    );
  });
  const id = await scene.say();
  await scene.hasCome;
  await scene.instance.engine.stop();
  expect((await scene.current(id)).state).toBe("failed");
  expect(await scene.assetsOf(id)).toHaveLength(1);
});

it("a transcript's text is saved as its file if its server died, and the run is unconfirmed", async () => {
  const held = Promise.withResolvers<void>();
  const scene = await createScene("transcription", async function* () {
    yield { type: "text", text: "every word of an hour's recording" };
    await held.promise;
    throw broken();
  });
  const id = await scene.make();
  const { workerId } = await scene.inState(id, "running");
  // A new fence, like after its worker's death; the old one ends without effect, and the run is
  // adopted in its stored state.
  await scene.instance.commit(({ tx }) => retakeRuns(tx, workerId!, [id]));
  held.resolve();
  await scene.inState(id, "unconfirmed");
  const [transcript] = await scene.assetsOf(id);
  expect(await scene.textOf(transcript!.sha256)).toBe("every word of an hour's recording");
});

it("a picture that arrived before the connection broke is saved, and its run is unconfirmed until a person decides", async () => {
  const scene = await createScene("image", async function* () {
    yield picture;
    throw broken();
  });
  const id = await scene.make();
  const run = await scene.inState(id, "unconfirmed");
  expect(run).toMatchObject({
    error: { code: "outcome_unknown", cause: "The line broke." },
    costMicros: null,
  });
  const assets = await scene.assetsOf(id);
  expect(assets).toHaveLength(1);
  await resolveRun(scene.instance.engineDeps, id, {
    outcome: "made-elsewhere",
    costMicros: 40_000,
  });
  expect(await scene.current(id)).toMatchObject({ state: "failed", costMicros: 40_000 });
  expect(await scene.assetsOf(id)).toEqual(assets);
});

/** The server dies when the bytes are durable but no row refers to them. */
function dieAfterBytes(scene: Awaited<ReturnType<typeof createScene>>) {
  const { engineDeps } = scene.instance;
  const dead = Promise.withResolvers<void>();
  engineDeps.failpoints = {
    has: () => false,
    at: (name) => {
      if (name !== "output.kept") return undefined;
      dead.resolve();
      return new Promise(() => undefined);
    },
  };
  return dead.promise.then(() => delete engineDeps.failpoints);
}

it("a picture whose server died before settlement belongs to its run after the next start", async () => {
  const scene = await createScene("image", async function* () {
    yield picture;
    throw broken();
  });
  const dead = dieAfterBytes(scene);
  const id = await scene.make();
  await dead;
  const { workerId } = await scene.inState(id, "submitting");
  const [taken] = await scene.instance.commit(({ tx }) => retakeRuns(tx, workerId!, [id]));
  const { engineDeps } = scene.instance;
  const inHand = await takeInHand(engineDeps, taken!, false);
  await resumeRun(engineDeps, inHand, new AbortController().signal);
  await scene.inState(id, "unconfirmed");
  expect(await scene.assetsOf(id)).toHaveLength(1);
});

it("an answer with a file and a tool call whose server died while saving continues with the call", async () => {
  const scene = await createScene("chat", async function* () {
    yield { type: "text", text: "Here it is." };
    yield picture;
    yield { type: "tool-call", callId: "c1", name: "find", input: { words: "tide" } };
    yield { type: "finish", reason: "tool-calls", usage: {} };
  });
  const dead = dieAfterBytes(scene);
  const id = await scene.say();
  await dead;
  const { workerId } = await scene.inState(id, "storing");
  const [taken] = await scene.instance.commit(({ tx }) => retakeRuns(tx, workerId!, [id]));
  const { engineDeps } = scene.instance;
  const inHand = await takeInHand(engineDeps, taken!, false);
  await resumeRun(engineDeps, inHand, new AbortController().signal);
  await scene.inState(id, "succeeded");
  expect(await scene.assetsOf(id)).toHaveLength(1);
  const message = await scene.messageOf(id);
  expect(message!.parts).toContainEqual(
    expect.objectContaining({ type: "tool-call", callId: "c1", input: { words: "tide" } }),
  );
  const answers = await listMessages(scene.instance.store.read, message!.conversationId);
  expect(answers.filter(({ role }) => role === "tool")).toHaveLength(1);
});

it("a picture that arrived before the provider's own error fails with it", async () => {
  const scene = await createScene("image", async function* () {
    yield picture;
    throw new ProviderError("provider_rejected", "yes", { message: "The rest was refused." });
  });
  const id = await scene.make();
  await scene.inState(id, "failed");
  expect(await scene.assetsOf(id)).toHaveLength(1);
});

it("a transcript's text before an error is saved as its file", async () => {
  const scene = await createScene("transcription", async function* () {
    yield { type: "text", text: "every word of an hour's recording" };
    throw broken();
  });
  const id = await scene.make();
  await scene.inState(id, "unconfirmed");
  expect(await scene.assetsOf(id)).toHaveLength(1);
});

it("an answer that makes a file and broke after only progress is unconfirmed", async () => {
  const scene = await createScene("other", async function* () {
    yield { type: "progress", done: 1, total: 2 };
    await sleep(0);
    throw broken();
  });
  await scene.inState(await scene.make(), "unconfirmed");
});

it("a server presumed dead that returns with the answer saves it", async () => {
  const held = Promise.withResolvers<void>();
  const scene = await createScene("other", async function* () {
    await held.promise;
    yield picture;
    yield { type: "finish", reason: "stop", usage: {} };
  });
  const id = await scene.make();
  const { worker } = await until("it was sent", async () => {
    const run = await getRun(scene.instance.store.db, id);
    return run?.state === "submitting" && { worker: run.workerId! };
  });
  // What another server does that considers this one dead: a new fence, and an unconfirmed outcome.
  const [taken] = await scene.instance.commit(({ tx }) => retakeRuns(tx, worker, [id]));
  const inHand = { run: taken!, wire: nothingOnWire(), warnings: [] };
  await loseOutcome(scene.instance.engineDeps, inHand as never, null, new AbortController().signal);
  await scene.inState(id, "unconfirmed");
  held.resolve();
  await scene.inState(id, "succeeded");
  expect(await scene.assetsOf(id)).toHaveLength(1);
});

forEachDatabase((name) => {
  it("a late answer of an ended run is saved next to it, and the ledger stays unchanged", async () => {
    const held = Promise.withResolvers<void>();
    const answer = async function* (): AsyncIterable<AnswerPart> {
      await held.promise;
      yield picture;
      yield { type: "finish", reason: "stop", usage: {} };
    };
    const scene = await createScene("other", answer, name);
    const id = await scene.make();
    const { workerId } = await scene.inState(id, "submitting");
    await until("it was sent", async () => scene.wasSent());
    const [taken] = await scene.instance.commit(({ tx }) => retakeRuns(tx, workerId!, [id]));
    const inHand = { run: taken!, wire: { bytes: 0, status: null, sentAt: null }, warnings: [] };
    await loseOutcome(
      scene.instance.engineDeps,
      inHand as never,
      null,
      new AbortController().signal,
    );
    await resolveRun(scene.instance.engineDeps, id, {
      outcome: "made-elsewhere",
      costMicros: 40_000,
    });
    const books = () =>
      scene.instance.store.db
        .selectFrom("ledger_entry")
        .selectAll()
        .where("run_id", "=", id)
        .execute();
    const before = await books();
    held.resolve();
    await until("the picture is here", async () => (await scene.assetsOf(id)).length > 0);
    expect(await scene.assetsOf(id)).toHaveLength(1);
    expect(await scene.current(id)).toMatchObject({
      state: "failed",
      costMicros: 40_000,
      warnings: [{ type: "late" }],
    });
    expect(await books()).toEqual(before);
  });

  it("a late answer whose server died before it was shown is saved by a chore", async () => {
    const held = Promise.withResolvers<void>();
    const answer = async function* (): AsyncIterable<AnswerPart> {
      await held.promise;
      yield picture;
      yield { type: "finish", reason: "stop", usage: {} };
    };
    const scene = await createScene("other", answer, name);
    const id = await scene.make();
    const { workerId } = await scene.inState(id, "submitting");
    await until("it was sent", async () => scene.wasSent());
    const [taken] = await scene.instance.commit(({ tx }) => retakeRuns(tx, workerId!, [id]));
    const inHand = { run: taken!, wire: { bytes: 0, status: null, sentAt: null }, warnings: [] };
    const { signal } = new AbortController();
    await loseOutcome(scene.instance.engineDeps, inHand as never, null, signal);
    await resolveRun(scene.instance.engineDeps, id, {
      outcome: "made-elsewhere",
      costMicros: 40_000,
    });
    // On this path the bytes are saved twice: before the row is inserted, and for it.
    const { engineDeps } = scene.instance;
    const dead = Promise.withResolvers<void>();
    let kept = 0;
    engineDeps.failpoints = {
      has: () => false,
      at: (point) => {
        if (point !== "output.kept" || ++kept < 2) return undefined;
        dead.resolve();
        return new Promise(() => undefined);
      },
    };
    held.resolve();
    await dead.promise;
    delete engineDeps.failpoints;
    expect(await scene.assetsOf(id)).toHaveLength(0);
    await doChores(engineDeps);
    expect(await scene.assetsOf(id)).toHaveLength(1);
    expect(await scene.current(id)).toMatchObject({ state: "failed", costMicros: 40_000 });
  });
});
