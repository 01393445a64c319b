import { expect, it } from "vitest";
import { takeInHand } from "#engine/in-hand.ts";
import { resumeRun } from "#engine/recover/recover.ts";
import { type Adapter, ProviderError, type RunContext } from "#providers/adapter.ts";
import { getMessage } from "#store/content/conversations.ts";
import { getRun } from "#store/runs/runs.ts";
import { retakeRuns } from "#store/runs/workers.ts";
import { expectRightBooks } from "../../../support/databases/right-books.ts";
import { createTestClock, until } from "../../../support/server/instance.ts";
import { createPaidScene } from "../../../support/studio/paid-scene.ts";

const broken = () =>
  new ProviderError("provider_interrupted", "yes", { message: "The line broke." });

/** A paid service, and another server that considers this one dead. */
async function createScene(...scene: Parameters<typeof createPaidScene>) {
  const paid = await createPaidScene(...scene);
  const { instance, inState } = paid;
  const { db } = instance.store;
  /** Assigns a new fence and adopts the run, like after a crash. */
  async function takeOver(
    id: string,
    state: string,
    meanwhile = async (): Promise<void> => undefined,
  ): Promise<void> {
    await inState(id, state);
    // A worker outside of this process, which would otherwise adopt the run itself.
    const worker = { id: "elsewhere", boot_id: "b", beat: 1, host: "h", started_at: 0 };
    await db.insertInto("worker").values(worker).execute();
    await db.updateTable("run").set({ worker_id: worker.id }).where("id", "=", id).execute();
    const [taken] = await instance.commit(({ tx }) => retakeRuns(tx, worker.id, [id]));
    await meanwhile();
    const inHand = await takeInHand(instance.engineDeps, taken!, false);
    await resumeRun(instance.engineDeps, inHand, new AbortController().signal);
  }
  return { ...paid, takeOver };
}

for (const [what, isWhole] of [
  ["the rest of a chat's answer", true],
  ["more of a chat's answer that then broke", false],
] as const)
  it(`${what} is saved in its message, and settled once`, async () => {
    const held = Promise.withResolvers<void>();
    const scene = await createScene("chat", async function* () {
      yield { type: "text", text: "One, " };
      await held.promise;
      yield { type: "text", text: "two, three." };
      if (!isWhole) throw broken();
      yield { type: "finish", reason: "stop", usage: { inputTokens: 3, outputTokens: 6 } };
    });
    const { db } = scene.instance.store;
    const prices = ["input token", "output token"].map((unit) => ({
      unit,
      micros: "1000",
      source: "test",
      at: 0,
    }));
    await db
      .updateTable("model")
      .set({ price: JSON.stringify(prices) })
      .execute();
    const id = await scene.say();
    await scene.takeOver(id, "running");
    const ended = await scene.inState(id, "failed");
    const message = async () => (await getMessage(db, ended.messageId!))!;
    expect(await message()).toMatchObject({
      state: "interrupted",
      parts: [{ type: "text", text: "One, " }],
    });
    held.resolve();
    await until("the rest is there", async () =>
      JSON.stringify((await message()).parts).includes("three"),
    );
    expect(await message()).toMatchObject({
      state: isWhole ? "complete" : "interrupted",
      parts: [{ type: "text", text: "One, two, three." }],
    });
    const run = (await getRun(db, id))!;
    expect(run).toMatchObject({ state: "failed", warnings: [{ type: "late" }] });
    if (isWhole) expect(run).toMatchObject({ costMicros: 9_000, costBasis: "known" });
    const entries = await db
      .selectFrom("ledger_entry")
      .select(["kind", "settlement"])
      .where("run_id", "=", id)
      .execute();
    expect(entries.filter(({ settlement }) => settlement !== null)).toHaveLength(1);
    await expectRightBooks(db);
  });

it("the rest of an answer waits for an owner that is slow to end the run", async () => {
  const held = Promise.withResolvers<void>();
  const given = Promise.withResolvers<void>();
  const clock = createTestClock();
  const scene = await createScene(
    "chat",
    async function* () {
      yield { type: "text", text: "One, " };
      await held.promise;
      yield { type: "text", text: "two, three." };
      yield { type: "finish", reason: "stop", usage: { inputTokens: 3, outputTokens: 6 } };
      given.resolve();
    },
    { clock },
  );
  const id = await scene.say();
  await scene.takeOver(id, "running", async () => {
    held.resolve();
    await given.promise;
    let minutes = 0;
    await until("it takes its time", async () => {
      clock.advance(60_000);
      return ++minutes > 50;
    });
  });
  const { messageId } = await scene.inState(id, "failed");
  await until("the rest is there", async () =>
    JSON.stringify((await getMessage(scene.instance.store.db, messageId!))?.parts).includes(
      "three",
    ),
  );
});

it("a job's ID held by a server presumed dead finds its run", async () => {
  const held = Promise.withResolvers<void>();
  const scene = await createScene("other", async function* () {}, {
    job: {
      async submit(_request: unknown, context: RunContext) {
        context.markSent!();
        await Promise.race([
          held.promise,
          new Promise((_resolve, reject) => context.signal.addEventListener("abort", reject)),
        ]);
        return { id: "job-1", urls: {} };
      },
      status: async () => ({ state: "done" }),
      result: async () => ({
        files: [{ name: "picture.txt", bytes: Buffer.from("a picture") }],
        usage: {},
        result: {},
      }),
      cancel: async () => true,
    } as unknown as Adapter["job"],
  });
  const id = await scene.make();
  await scene.takeOver(id, "submitting");
  await scene.inState(id, "unconfirmed");
  held.resolve();
  await scene.inState(id, "succeeded");
  expect(await scene.assetsOf(id)).toHaveLength(1);
});
