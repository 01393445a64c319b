import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it, onTestFinished } from "vitest";
import { createTestDatabase } from "../../../support/databases/databases.ts";
import { until } from "../../../support/server/instance.ts";
import { shownText } from "../../../support/server/server-client.ts";
import { createStudio, textOfMessage } from "../../../support/studio/studio.ts";

const words = ["one", " two", " three", " four"];

/**
 * A studio whose time can be advanced, and another process that locks its database, like a backup
 * tool.
 */
async function createScene() {
  const database = await createTestDatabase("sqlite");
  let laterMs = 0;
  const clock = { now: () => Date.now() + laterMs, monotonic: () => performance.now() + laterMs };
  let refusals = 0;
  const quiet = () => undefined;
  const warn = (_facts: object, words: string): void => {
    if (words.includes("trying again")) refusals++;
  };
  const log = { info: quiet, error: quiet, warn };
  const studio = await createStudio(database, {
    endsWithTest: true,
    instance: { clock, log, outputRetryMs: [20] },
  });
  const other = new DatabaseSync(join(database.dataFolder, "bottega.db"), { timeout: 5_000 });
  onTestFinished(() => other.close());
  return {
    studio,
    hold: () => other.exec("begin immediate"),
    letGo: () => other.exec("rollback"),
    pass: (ms: number) => (laterMs += ms),
    /** How often a write that must not be lost was refused and has to be retried. */
    refusals: () => refusals,
  };
}

it("another process holds the file for half a minute and more while runs are under way: nothing is lost or made twice", async () => {
  const { studio, hold, letGo, pass, refusals } = await createScene();
  studio.openai.script({ text: words, gate: { name: "stream", at: 2 } });
  const stream = await studio.ask("some words");
  await studio.openai.reached("stream");
  const job = await studio.make("a held picture [sim:hold]");
  await studio.inState(job.id, "running");
  hold();
  studio.openai.script({});
  studio.openai.open("stream");
  studio.fal.release("a held picture");
  await until(
    "the answer has left its provider",
    async () => studio.openai.posts[0]?.state === "answered",
  );
  for (let times = 1; times <= 3; times++)
    await until("half a minute was waited for nothing, and it is tried again", async () => {
      pass(10_000);
      return refusals() >= times;
    });
  expect(
    (await studio.person.call("getRun", { params: { runId: job.id } })).status,
    "reading goes on",
  ).toBe(200);
  letGo();
  for (const { id } of [stream.run, job]) {
    expect(await studio.ended(id)).toMatchObject({
      state: "succeeded",
      attempts: 1,
      heldMicros: 0,
    });
    const events = await studio.events(id);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, i) => i + 1));
  }
  expect(shownText(await studio.events(stream.run.id))).toBe(words.join(""));
  expect(textOfMessage(await studio.messageOf(stream.answer.id))).toBe(words.join(""));
  expect(studio.openai.posts).toHaveLength(1);
  expect(studio.fal.ledger.postsOf("a held picture [sim:hold]")).toBe(1);
  expect((await studio.ledgerOf(job.id)).filter((entry) => entry.settlement !== null)).toHaveLength(
    1,
  );
});

it("callers meanwhile are informed, and nothing of their requests is saved; then everything works again", async () => {
  const { studio, hold, letGo, pass } = await createScene();
  const { connectionId } = studio.models.fal;
  const make = (prompt: string) => {
    const models = [{ connectionId, modelId: "sim/flux/dev" }];
    const input = { prompt, image_size: { width: 64, height: 64 } };
    return studio.person.call("createRuns", {
      body: { projectId: studio.person.projectId, models, task: "image", input },
    });
  };
  hold();
  let told = false;
  const answers = Promise.all([1, 2, 3, 4, 5].map((i) => make(`asked ${i}`))).finally(
    () => (told = true),
  );
  await until("all are told", async () => {
    pass(10_000);
    return told;
  });
  for (const answer of await answers)
    expect(answer).toMatchObject({
      status: 503,
      body: {
        code: "unavailable",
        detail: "The database of this server does not answer.",
      },
    });
  letGo();
  expect(await studio.instance.store.db.selectFrom("run").select("id").execute()).toEqual([]);
  expect((await make("asked again")).status).toBe(200);
});
