import { sql } from "kysely";
import { expect, it, onTestFinished } from "vitest";
import { findStuck } from "#store/checks/stuck-checks.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import { type DatabaseName, forEachDatabase } from "../../../support/databases/databases.ts";
import { until } from "../../../support/server/instance.ts";
import { createStudio, type Studio, textOfMessage } from "../../../support/studio/studio.ts";

/**
 * From now on the database refuses every update of a row for which this condition on `new` holds.
 */
async function refuseUpdates(
  { instance }: Studio,
  name: DatabaseName,
  table: string,
  when: string,
): Promise<void> {
  const statements =
    name === "sqlite"
      ? [
          `create trigger refused before update on ${table} when ${when} begin select raise(abort, 'this row is refused'); end`,
        ]
      : [
          "create function refuse() returns trigger language plpgsql as $$ begin raise exception 'this row is refused' using errcode = '22003'; end $$",
          `create trigger refused before update on ${table} for each row when (${when}) execute function refuse()`,
        ];
  for (const statement of statements)
    await instance.store.write((tx) => sql.raw(statement).execute(tx));
}

forEachDatabase((name, create) => {
  const createScene = async () => {
    const logged: string[] = [];
    const note = (_: object, message: string) => void logged.push(message);
    const studio = await createStudio(await create(), {
      endsWithTest: true,
      instance: {
        outputRetryMs: [10, 10],
        log: { info: () => undefined, warn: () => undefined, error: note },
      },
    });
    // Its worker searches for work more often than by default.
    const looking = setInterval(() => studio.instance.engineDeps.hub.queued(""), 200);
    onTestFinished(() => clearInterval(looking));
    const untilSeen = <T>(what: string, ask: () => Promise<T | undefined | false>) =>
      until(what, ask);
    const ended = (runId: string): Promise<OwnedRun> =>
      untilSeen("the run ends", async () => {
        const run = await studio.runOf(runId);
        return (run.finishedAt !== null || run.state === "unconfirmed") && run;
      });
    return { studio, logged, untilSeen, ended };
  };

  const settlementsOf = async (studio: Studio, runId: string) =>
    (await studio.ledgerOf(runId)).filter(({ settlement }) => settlement !== null);

  it("a result whose end the database refuses, even without its files, ends once with less, and its cost is booked", async () => {
    const { studio, ended } = await createScene();
    await refuseUpdates(
      studio,
      name,
      "run",
      "new.finished_at is not null and new.result is not null",
    );
    const run = await studio.make("refused to the last", { model: studio.models.openaiImage });
    const end = await ended(run.id);
    expect(end).toMatchObject({
      state: "failed",
      result: null,
      heldMicros: 0,
      fence: 1,
      error: { code: "internal", message: expect.stringContaining("could not save") },
    });
    const outputs = await studio.instance.store.db
      .selectFrom("output")
      .select("state")
      .where("run_id", "=", run.id)
      .execute();
    expect(outputs).toEqual([{ state: "lost" }]);
    expect(studio.openai.posts).toHaveLength(1);
    expect((await settlementsOf(studio, run.id)).length).toBe(end.costMicros === null ? 0 : 1);
  });

  it("an answer whose end the database refuses fails after some tries, with its text", async () => {
    const { studio, ended } = await createScene();
    await refuseUpdates(
      studio,
      name,
      "run",
      "new.finished_at is not null and new.usage is not null and new.usage <> '{}'",
    );
    studio.openai.script({ text: "one two three" });
    const { run, answer } = await studio.ask("some words");
    expect(await ended(run.id)).toMatchObject({
      state: "failed",
      heldMicros: 0,
      error: { message: expect.stringContaining("could not save") },
    });
    expect(textOfMessage(await studio.messageOf(answer.id))).toBe("one two three");
    expect(studio.openai.posts).toHaveLength(1);
  });

  it("text that the database refuses doesn't keep its run from ending", async () => {
    const { studio, ended } = await createScene();
    await refuseUpdates(studio, name, "message", "new.parts like '%refused word%'");
    studio.openai.script({ text: "a refused word" });
    const { run } = await studio.ask("some words");
    expect(await ended(run.id)).toMatchObject({ state: "failed", heldMicros: 0 });
  });

  it("a job that can't be followed to storing is unconfirmed after some tries, its money reserved", async () => {
    const { studio, ended } = await createScene();
    await refuseUpdates(studio, name, "run", "new.state in ('storing', 'failed')");
    const run = await studio.make("never to be saved");
    expect(await ended(run.id)).toMatchObject({
      state: "unconfirmed",
      error: { code: "outcome_unknown", cause: expect.stringContaining("could not save") },
    });
    expect((await studio.runOf(run.id)).heldMicros).toBeGreaterThan(0);
    expect(studio.fal.ledger.postsOf("never to be saved")).toBe(1);
    expect(await settlementsOf(studio, run.id)).toEqual([]);
  });

  it("a run whose model is gone after its server was down is unconfirmed after some tries", async () => {
    const { studio, ended } = await createScene();
    const run = await studio.make("[sim:hold] of a model that goes");
    await studio.inState(run.id, "submitted", "running");
    const { db } = studio.instance.store;
    await db.deleteFrom("model").where("model_id", "=", studio.models.fal.modelId).execute();
    await db
      .updateTable("run")
      .set((e) => ({ fence: e("fence", "+", 1) }))
      .where("id", "=", run.id)
      .execute();
    expect(await ended(run.id)).toMatchObject({
      state: "unconfirmed",
      error: {
        code: "outcome_unknown",
        cause: "The connection no longer offers this model.",
      },
    });
  });

  it("a run whose every end the database refuses is left alone after some tries, not retried forever", async () => {
    const { studio, logged, untilSeen } = await createScene();
    await refuseUpdates(studio, name, "run", "new.state in ('succeeded', 'failed', 'unconfirmed')");
    const run = await studio.make("no end at all", { model: studio.models.openaiImage });
    await studio.inState(run.id, "storing");
    await untilSeen("the log says so", async () =>
      logged.includes("a run is left as it is until this server is restarted"),
    );
    const { fence } = await studio.runOf(run.id);
    let looks = 0;
    await untilSeen("it has looked some more", async () => ++looks > 100);
    expect(await studio.runOf(run.id)).toMatchObject({ state: "storing", fence });
    const why = expect.stringMatching(/^its server could not write its end/);
    expect(await findStuck(studio.instance.store.read, Date.now())).toEqual([
      { runId: run.id, state: "storing", why },
    ]);
  });
});
