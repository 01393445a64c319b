import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import type { Task } from "#contract/tasks.ts";
import { loseOutcome } from "#engine/fail.ts";
import { type Adapter, type AnswerPart, ProviderError } from "#providers/adapter.ts";
import { listAssetsOfRuns } from "#store/assets.ts";
import { insertConversation } from "#store/conversations.ts";
import { getRun } from "#store/runs.ts";
import { retakeRuns } from "#store/workers.ts";
import { createTestDatabase } from "../../support/databases.ts";
import { createInstance, until } from "../../support/instance.ts";
import { buildConversation } from "../../support/store-rows.ts";

const picture: AnswerPart = { type: "file", output: { name: "picture.txt", bytes: Buffer.from("a picture") } };
const broken = () => new ProviderError("provider_interrupted", "yes", { message: "The line broke." });

/** A paid service whose answers a test writes. */
async function createScene(task: Task, answer: (signal: AbortSignal) => AsyncIterable<AnswerPart>) {
  const adapter: Adapter = {
    kind: "paid",
    name: "Paid",
    summary: "",
    docs: "",
    fields: [],
    addresses: { api: "http://127.0.0.1:1/" },
    tasks: [task],
    runsOn: "hosted",
    check: async () => ({ message: "" }),
    async *models() {
      const facts = { inputModalities: ["text" as const], outputModalities: ["text" as const], limits: {}, capabilities: {} };
      yield [{ id: "m", name: "m", tasks: [task], inputSchema: null, price: null, status: "active" as const, ...facts }];
    },
    async *answer(_request, context) {
      context.markSent!();
      yield* answer(context.signal);
    },
  };
  const instance = await createInstance(await createTestDatabase("sqlite"), { adapters: [adapter], endsWithTest: true });
  const person = await instance.createPerson("ada@example.org", { role: "owner" });
  const { connection } = await instance.engine.connect({ kind: "paid", name: "p", scope: "instance", userId: person.user.id, values: {} });
  const { db } = instance.store;
  const model = { connectionId: connection.id, modelId: "m" };
  const make = async (): Promise<string> => {
    const ask = { projectId: person.projectId, models: [model], task, input: { prompt: "x" }, variants: 1 };
    return (await instance.engine.admitBatch({ userId: person.user.id }, ask as never)).runs[0]!.id;
  };
  const say = async (): Promise<string> => {
    const conversation = await instance.commit((tx, outbox) =>
      insertConversation(tx, outbox, buildConversation({ projectId: person.projectId, userId: person.user.id, at: Date.now() })),
    );
    const message = { conversationId: conversation.id, parentId: null, text: "draw", attachments: [], ask: { model, settings: {} } };
    return (await instance.engine.admitMessage({ userId: person.user.id }, message)).run!.id;
  };
  const inState = (id: string, state: string) =>
    until(`the run is ${state}`, async () => {
      const run = await getRun(db, id);
      return run?.state === state && run;
    });
  return { instance, make, say, inState, assetsOf: (id: string) => listAssetsOfRuns(db, [id]) };
}

it("a picture that arrived in an answer is saved when the line breaks behind it", async () => {
  const scene = await createScene("chat", async function* () {
    yield { type: "text", text: "Here it is." };
    yield picture;
    throw broken();
  });
  const id = await scene.say();
  await scene.inState(id, "failed");
  expect(await scene.assetsOf(id)).toHaveLength(1);
});

it("it is saved where a person cancels the rest", async () => {
  const scene = await createScene("chat", async function* (signal) {
    yield { type: "text", text: "Here it is." };
    yield picture;
    await new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
  });
  const id = await scene.say();
  await scene.inState(id, "running");
  await scene.instance.engine.cancelRun(id);
  await scene.inState(id, "cancelled");
  expect(await scene.assetsOf(id)).toHaveLength(1);
});

it("the words of a transcript that arrived before an error are saved as its file", async () => {
  const scene = await createScene("transcription", async function* () {
    yield { type: "text", text: "every word of an hour's recording" };
    throw broken();
  });
  const id = await scene.make();
  await scene.inState(id, "failed");
  expect(await scene.assetsOf(id)).toHaveLength(1);
});

it("an answer that makes a file and broke after nothing but its progress is unconfirmed", async () => {
  const scene = await createScene("other", async function* () {
    yield { type: "progress", done: 1, total: 2 };
    await sleep(0);
    throw broken();
  });
  await scene.inState(await scene.make(), "unknown");
});

it("a server that was taken for dead and comes back with the answer in hand saves it", async () => {
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
  // What another server does that takes this one for dead: a new fence, and its outcome lost.
  const [taken] = await scene.instance.commit((tx) => retakeRuns(tx, worker, [id]));
  const inHand = { run: taken!, wire: { bytes: 0, status: null, sentAt: null }, warnings: [] };
  await loseOutcome(scene.instance.engineDeps, inHand as never, null, new AbortController().signal);
  await scene.inState(id, "unknown");
  held.resolve();
  await scene.inState(id, "succeeded");
  expect(await scene.assetsOf(id)).toHaveLength(1);
});
