import { sql } from "kysely";
import { expect, it, onTestFinished } from "vitest";
import { openPostgres } from "#store/database/postgres.ts";
import { listWorkers } from "#store/runs/workers.ts";
import { createPostgresDatabase, type TestDatabase } from "../../../support/databases/databases.ts";
import { type PostgresCluster, startPostgres } from "../../../support/databases/postgres.ts";
import { startDoor } from "../../../support/databases/postgres-door.ts";
import { until } from "../../../support/server/instance.ts";
import { shownText } from "../../../support/server/server-client.ts";
import { createStudio, type Studio, textOfMessage } from "../../../support/studio/studio.ts";
import { createTempFolder } from "../../../support/temp.ts";

const words = ["one", " two", " three", " four", " five", " six", " seven", " eight"];
const atOwn = (databaseUrl: string): TestDatabase => {
  const dataFolder = createTempFolder("postgres");
  return { databaseUrl, dataFolder, env: { BOTTEGA_DATA: dataFolder, DATABASE_URL: databaseUrl } };
};

/** A separate studio with an active stream, job and picture, each held at its provider. */
async function begin(databaseUrl: string) {
  const studio = await createStudio(atOwn(databaseUrl), {
    endsWithTest: true,
    instance: { outputRetryMs: [20, 100] },
  });
  studio.openai.script({ text: words, betweenMs: 60, gate: { name: "stream", at: 2 } });
  const stream = await studio.ask("some words");
  await studio.openai.reached("stream");
  studio.openai.script({ gate: { name: "picture", at: "head" } });
  const picture = await studio.make("a picture", { model: studio.models.openaiImage });
  await studio.openai.reached("picture");
  const job = await studio.make("a held picture [sim:hold]");
  await studio.inState(job.id, "running");
  return { studio, stream, picture, job };
}

function goOn({ openai, fal }: Studio): void {
  openai.open("stream");
  openai.open("picture");
  fal.release("a held picture");
}

/** Expects that all active work has ended normally: made, reported and paid once. */
async function expectWhole({
  studio,
  stream,
  picture,
  job,
}: Awaited<ReturnType<typeof begin>>): Promise<void> {
  for (const { id } of [stream.run, picture, job]) {
    expect(await studio.ended(id)).toMatchObject({
      state: "succeeded",
      attempts: 1,
      heldMicros: 0,
    });
    const events = await studio.events(id);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, i) => i + 1));
    expect(events.filter(({ type }) => type === "run-settled")).toHaveLength(1);
    expect(
      (await studio.ledgerOf(id)).filter((entry) => entry.settlement !== null).length,
    ).toBeLessThanOrEqual(1);
  }
  expect(shownText(await studio.events(stream.run.id))).toBe(words.join(""));
  expect(textOfMessage(await studio.messageOf(stream.answer.id))).toBe(words.join(""));
  expect(studio.openai.posts).toHaveLength(2);
  expect(studio.fal.ledger.postsOf("a held picture [sim:hold]")).toBe(1);
  for (const { id } of [picture, job]) expect(await studio.assetsOf(id)).toHaveLength(1);
}

const workersOf = ({ instance }: Studio) => listWorkers(instance.store.db);

it("PostgreSQL restarts during runs: data received meanwhile is saved, watchers continue, and the worker regains its lock", async () => {
  const cluster: PostgresCluster = await startPostgres();
  onTestFinished(() => cluster.stop());
  const scene = await begin(await cluster.createDatabase());
  const { studio } = scene;
  const [before] = await workersOf(studio);
  const url = await studio.instance.listen();
  const watched = fetch(`${url}/api/v1/runs/${scene.stream.run.id}/events?after=0`, {
    headers: { cookie: studio.person.cookie },
  });
  const text = (await watched).text();
  await cluster.restart(async () => {
    const refused = await studio.person.call("createConversation", {
      body: { projectId: studio.person.projectId },
    });
    expect([refused.status, refused.body.code]).toEqual([503, "unavailable"]);
    goOn(studio);
    await until("all has left the providers", async () =>
      studio.openai.posts.every(({ state }) => state === "answered"),
    );
  });
  await expectWhole(scene);
  expect(await text).toContain("event: run-settled");
  await studio.instance.engine.ownership()!.tick();
  const [after] = await workersOf(studio);
  expect(after).toMatchObject({ id: before!.id, bootId: before!.bootId });
  await until(
    "it holds its lock again",
    async () => !(await studio.instance.store.sessionLock.isFree(before!.bootId)),
  );
  expect((await studio.ask("and afterwards")).run).toMatchObject({ state: "submitting" });
});

it("a server's backends are ended repeatedly, in units, while listening, in its lock: nothing is lost or made twice", async () => {
  const databaseUrl = await createPostgresDatabase();
  const scene = await begin(databaseUrl);
  const { studio } = scene;
  const killer = openPostgres(databaseUrl, () => undefined);
  onTestFinished(() => killer.close());
  const [before] = await workersOf(studio);
  /** @returns the number of ended connections */
  async function endAll(): Promise<number> {
    const others = sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`;
    return (await others.execute(killer.db)).rows.length;
  }
  await endAll();
  goOn(studio);
  let rounds = 0;
  await until(
    "all has left the providers, and twenty times it had connected again and was cut off",
    async () => {
      if ((await endAll()) > 0) rounds++;
      return rounds >= 20 && studio.openai.posts.every(({ state }) => state === "answered");
    },
  );
  // The test's own reads use the most recently closed connections.
  await until("every connection is a new one", async () => {
    const reads = Array.from({ length: 20 }, () => workersOf(studio));
    return (await Promise.allSettled(reads)).every(({ status }) => status === "fulfilled");
  });
  await expectWhole(scene);
  await until("it beats on under its name", async () => {
    const [worker] = await workersOf(studio);
    return worker?.id === before!.id && worker.beat > before!.beat;
  });
  await until(
    "it holds its lock again",
    async () => !(await studio.instance.store.sessionLock.isFree(before!.bootId)),
  );
  const heard = await studio.ask("is anyone listening?");
  expect(await studio.ended(heard.run.id)).toMatchObject({ state: "succeeded" });
});

it.each(["lose-request", "lose-reply"] as const)(
  "connections that break at every second commit (%s): no event is written twice, and no transition is lost",
  async (fate) => {
    const door = await startDoor(await createPostgresDatabase());
    const scene = await begin(door.url);
    door.onCommit((count) => (count % 2 === 1 ? fate : "pass"));
    goOn(scene.studio);
    await Promise.all(
      [scene.stream.run, scene.picture, scene.job].map(({ id }) => scene.studio.ended(id)),
    );
    door.onCommit(() => "pass");
    await expectWhole(scene);
  },
);
