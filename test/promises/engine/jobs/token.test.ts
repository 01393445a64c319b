import { expect, it, onTestFinished } from "vitest";
import type { RunState } from "#contract/entities.ts";
import { admitBatch } from "#engine/admit/admit-media.ts";
import { connect } from "#engine/connections/connect.ts";
import { doChores } from "#engine/recover/chores.ts";
import { bedrock as adapter } from "#providers/services/bedrock/adapter.ts";
import { lastAttempt, listAttempts } from "#store/runs/attempts.ts";
import { getRun } from "#store/runs/runs.ts";
import { onSqlite, type TestDatabase } from "../../../support/databases/databases.ts";
import { createInstance, until } from "../../../support/server/instance.ts";
import { startBedrockWithBucket } from "../../../support/services/bedrock.ts";

const ends: readonly RunState[] = ["succeeded", "failed", "cancelled", "unconfirmed"];

/** A Bottega whose only connection finds a job by our token, and its provider. */
async function createTokenStudio(database: TestDatabase, failpoints?: string) {
  const provider = await startBedrockWithBucket();
  const instance = await createInstance(database, {
    adapters: [adapter],
    endsWithTest: true,
    ...(failpoints !== undefined && { failpoints }),
  });
  const person = await instance.createPerson("ada@example.org", { role: "owner" });
  const { connection } = await connect(instance.engineDeps, {
    kind: "bedrock",
    name: "Bedrock",
    scope: "instance",
    userId: person.user.id,
    values: provider.values,
  });
  const model = { connectionId: connection.id, modelId: "amazon.nova-reel-v1:1" };
  const { db } = instance.store;
  return {
    ...provider,
    instance,
    person,
    async film(prompt: string): Promise<string> {
      const { runs } = await admitBatch(
        instance.engineDeps,
        { userId: person.user.id },
        {
          projectId: person.projectId,
          models: [model],
          task: "video",
          input: { prompt },
          variants: 1,
        },
      );
      return runs[0]!.id;
    },
    ended: (id: string) =>
      until("the run has ended", async () => {
        const run = await getRun(db, id);
        return run && ends.includes(run.state) && run;
      }),
    attempts: (id: string) => listAttempts(db, id),
    tokens: async (id: string) =>
      new Set((await listAttempts(db, id)).map(({ clientToken }) => clientToken)),
    /**
     * Like after kill -9: another boot on the same database, while the first never writes again.
     */
    async nextBoot() {
      const next = await createInstance(database, {
        adapters: [adapter],
        start: false,
        secrets: instance.engineDeps.secrets,
      });
      onTestFinished(() => next.close());
      await next.store.write((tx) => tx.deleteFrom("worker").execute());
      await next.engine.start();
      return next;
    },
  };
}

onSqlite((create) => {
  it("a submit whose answer was lost is sent again with the same token: one job, one reservation, and its video", async () => {
    const studio = await createTokenStudio(await create());
    studio.bedrock.script({ fault: { kind: "reset", at: "request" } });
    const id = await studio.film("lost once");
    expect(await studio.ended(id)).toMatchObject({ state: "succeeded", attempts: 2 });
    expect(await studio.attempts(id)).toMatchObject([
      { state: "lost" },
      { providerRequestId: studio.bedrock.async.jobs[0]!.invocationArn },
    ]);
    expect((await studio.tokens(id)).size).toBe(1);
    expect(studio.bedrock.posts).toHaveLength(2);
    expect(studio.bedrock.async.jobs).toHaveLength(1);
    const held = await studio.instance.store.db
      .selectFrom("ledger_entry")
      .selectAll()
      .where("run_id", "=", id)
      .where("kind", "=", "hold")
      .execute();
    expect(held.length).toBeLessThanOrEqual(1);
  });

  it("a job that was accepted before its answer was lost is found by its token, and not sent a second time", async () => {
    const studio = await createTokenStudio(await create(), "job.accepted#1=hang");
    const id = await studio.film("taken");
    await until("the provider has taken it", async () => studio.bedrock.async.jobs.length === 1);
    await studio.nextBoot();
    expect(await studio.ended(id)).toMatchObject({ state: "succeeded", attempts: 2 });
    expect(studio.bedrock.posts).toHaveLength(1);
    expect((await studio.tokens(id)).size).toBe(1);
  });

  it("a crash before a byte has left sends it again with the same token", async () => {
    const studio = await createTokenStudio(await create(), "attempt.begin#1=hang");
    const id = await studio.film("never left");
    await until(
      "it is claimed",
      async () => (await lastAttempt(studio.instance.store.db, id)) !== undefined,
    );
    await studio.nextBoot();
    expect(await studio.ended(id)).toMatchObject({ state: "succeeded", attempts: 2 });
    expect(studio.bedrock.async.jobs).toHaveLength(1);
    expect((await studio.tokens(id)).size).toBe(1);
  });

  it("a second refusal proves nothing about the first: the run is unconfirmed and keeps its reservation", async () => {
    const studio = await createTokenStudio(await create());
    studio.bedrock.script({ fault: { kind: "status", status: 500 } });
    studio.bedrock.script({
      fault: {
        kind: "status",
        status: 403,
        body: { message: "No." },
        headers: { "x-amzn-errortype": "AccessDeniedException" },
      },
    });
    const id = await studio.film("lost, then refused");
    expect(await studio.ended(id)).toMatchObject({ state: "unconfirmed", attempts: 2 });
    expect(studio.bedrock.posts).toHaveLength(2);
    const books = await studio.instance.store.db
      .selectFrom("ledger_entry")
      .select("kind")
      .where("run_id", "=", id)
      .execute();
    expect(books.map(({ kind }) => kind)).not.toContain("release");
  });

  it("a cancel while it waits to be resent leaves it unconfirmed; a lookup at the provider shows that no job exists", async () => {
    const studio = await createTokenStudio(await create());
    // So long a wait that only the cancel ends it.
    studio.bedrock.script({
      fault: { kind: "status", status: 500, headers: { "retry-after": "600" } },
    });
    const id = await studio.film("lost, then cancelled");
    await until(
      "it was sent",
      async () => studio.bedrock.posts.length === 1 && studio.bedrock.posts[0]!.state === "refused",
    );
    await studio.person.call("cancelRun", { params: { runId: id } });
    expect(await studio.ended(id)).toMatchObject({ state: "unconfirmed" });
    expect(studio.bedrock.posts).toHaveLength(1);
    const shown = await studio.person.call("getRun", { params: { runId: id } });
    expect(shown.body).toMatchObject({ askable: { canLook: true, canAttach: true } });
    expect(await studio.instance.engine.lookAgain(id)).toBe(false);
  });

  it("an unconfirmed run whose job exists is found by its token when a person looks again", async () => {
    const studio = await createTokenStudio(await create(), "job.accepted#1=hang");
    const id = await studio.film("there all the while");
    await until("the provider has taken it", async () => studio.bedrock.async.jobs.length === 1);
    await studio.person.call("cancelRun", { params: { runId: id } });
    const next = await studio.nextBoot();
    expect(await studio.ended(id)).toMatchObject({ state: "unconfirmed" });
    expect(await next.engine.lookAgain(id)).toBe(true);
    expect(
      await until("it goes on", async () => {
        const run = await getRun(studio.instance.store.db, id);
        return run?.state === "succeeded" && run;
      }),
    ).toMatchObject({ state: "succeeded" });
    expect(studio.bedrock.posts).toHaveLength(1);
  });

  it("an unconfirmed run whose job exists is found by its token by a chore", async () => {
    const studio = await createTokenStudio(await create(), "job.accepted#1=hang");
    const id = await studio.film("there, and nobody looks");
    await until("the provider has taken it", async () => studio.bedrock.async.jobs.length === 1);
    await studio.person.call("cancelRun", { params: { runId: id } });
    const next = await studio.nextBoot();
    expect(await studio.ended(id)).toMatchObject({ state: "unconfirmed" });
    await doChores(next.engineDeps, "nobody");
    await next.engine.ownership()?.tick();
    await until("it goes on to its end", async () => {
      const run = await getRun(studio.instance.store.db, id);
      return run?.state === "succeeded";
    });
    expect(studio.bedrock.posts).toHaveLength(1);
  });
});
