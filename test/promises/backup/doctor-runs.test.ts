import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { findStuck } from "#store/checks/stuck-checks.ts";
import { forEachDatabase } from "../../support/databases/databases.ts";
import {
  createDoctorStudio,
  type DoctorStudio,
  foundBy,
} from "../../support/studio/doctor-studio.ts";

/** The doctor's findings about runs that don't end, or that were abandoned too early. */
forEachDatabase((_, create) => {
  let here: DoctorStudio;
  beforeAll(async () => {
    here = await createDoctorStudio(await create());
  });
  afterAll(() => here.close());

  it("a failed run whose job was never polled again is found until somebody has looked", async () => {
    const { studio, change, ask } = here;
    const failed = async (prompt: string, set: Record<string, unknown>, id: string) => {
      const run = await studio.make(prompt);
      await studio.ended(run.id);
      await change(async (tx) => {
        await tx.deleteFrom("output").where("run_id", "=", run.id).execute();
        const error = JSON.stringify({
          code: "provider_interrupted",
          message: "m",
          advice: "a",
          retryable: true,
        });
        await tx
          .updateTable("run")
          .set({ state: "failed", cost_basis: "held", error, ...set })
          .where("id", "=", run.id)
          .execute();
        const attempt = tx.updateTable("attempt").where("run_id", "=", run.id);
        const { provider_request_id, provider_urls } = await tx
          .selectFrom("attempt")
          .selectAll()
          .where("run_id", "=", run.id)
          .executeTakeFirstOrThrow();
        const urls = provider_urls!.replaceAll(provider_request_id!, id);
        await attempt
          .set({ provider_request_id: id, provider_urls: urls, http_status: 200 })
          .execute();
      });
      return run.id;
    };
    const there = studio.fal.requestIdOf.bind(studio.fal);
    const goneJob = randomUUID();
    const lost = await failed("torn behind a 200", {}, goneJob);
    const verdict = JSON.stringify({
      code: "provider_rejected",
      message: "m",
      advice: "a",
      retryable: false,
    });
    await failed("refused by its provider", { error: verdict }, randomUUID());
    const made = await studio.make("made after all");
    await studio.ended(made.id);
    const jobId = there("made after all");
    await change(async (tx) => {
      await tx.deleteFrom("output").where("run_id", "=", made.id).execute();
      const error = JSON.stringify({
        code: "output_unavailable",
        message: "m",
        advice: "a",
        retryable: false,
      });
      await tx
        .updateTable("run")
        .set({ state: "failed", cost_basis: "held", error })
        .where("id", "=", made.id)
        .execute();
    });
    const text = (id: string) =>
      `failed without its provider saying so, and its job ${id} was never asked about again. Open the run and choose “Check again”`;
    const finding = (id: string, job: string) => ({
      check: "unasked",
      subject: `run ${id} (failed)`,
      text: text(job),
    });
    expect(foundBy(await ask("mend"))).toEqual([finding(lost, goneJob), finding(made.id, jobId)]);
    const look = (runId: string) => studio.person.call("lookAgain", { params: { runId } });
    expect(await look(made.id)).toMatchObject({ status: 200, body: { found: true } });
    expect(await look(lost)).toMatchObject({
      status: 200,
      body: { found: false, run: { state: "failed", warnings: [{ type: "late" }] } },
    });
    expect(foundBy(await ask())).toEqual([]);
    expect((await studio.assetsOf(made.id)).length).toBeGreaterThan(0);
    expect((await look(lost)).status).toBe(409);
  });

  it.each([
    ["submitting", 3, "was sent 3 hours ago and has no answer; no answer takes longer than 2"],
    ["running", 8 * 24, "has been with its provider for 8 days; no job takes longer than 7"],
    [
      "storing",
      3 * 24,
      "has been saving its results for 3 days, longer than its provider keeps them",
    ],
  ] as const)("a run that is %s past every limit is found", async (state, hours, text) => {
    const { store, runId, change } = here;
    const run = await store.read
      .selectFrom("run")
      .selectAll()
      .where("id", "=", runId)
      .executeTakeFirstOrThrow();
    const attempt = await store.read
      .selectFrom("attempt")
      .selectAll()
      .where("run_id", "=", runId)
      .executeTakeFirstOrThrow();
    const since = Date.now() - hours * 60 * 60_000;
    await change(async (tx) => {
      // A worker outside of this process, which would otherwise adopt an unknown run of its own.
      const worker = { id: "elsewhere", boot_id: "b", beat: 1, host: "h", started_at: since };
      await tx.insertInto("worker").values(worker).execute();
      await tx
        .updateTable("run")
        .set({ state, finished_at: null, worker_id: worker.id })
        .where("id", "=", runId)
        .execute();
      await tx
        .updateTable("attempt")
        .set({ sent_at: since, accepted_at: since })
        .where("run_id", "=", runId)
        .execute();
      await tx.updateTable("run_event").set({ at: since }).where("run_id", "=", runId).execute();
      await tx
        .updateTable("output")
        .set({ expires_at: null })
        .where("run_id", "=", runId)
        .execute();
    });
    expect(await findStuck(store.read, Date.now())).toEqual([{ runId, state, why: text }]);
    expect(await findStuck(store.read, since + 60 * 60_000)).toEqual([]);
    await change(async (tx) => {
      await tx.updateTable("run").set(run).where("id", "=", runId).execute();
      await tx.updateTable("attempt").set(attempt).where("run_id", "=", runId).execute();
      await tx.deleteFrom("worker").where("id", "=", "elsewhere").execute();
    });
  });

  it("a job resumed by many restarts, on which its provider still works, isn't stuck", async () => {
    const { studio, store, change } = here;
    const run = await studio.make("[sim:hold] through ten restarts");
    await studio.inState(run.id, "submitted", "running");
    await change((tx) =>
      tx
        .updateTable("run")
        .set((e) => ({ fence: e("fence", "+", 10) }))
        .where("id", "=", run.id)
        .execute(),
    );
    expect(await findStuck(store.read, Date.now())).toEqual([]);
    studio.fal.release("[sim:hold] through ten restarts");
    await studio.ended(run.id);
  });

  it("a run that nothing will ever move is found", async () => {
    const { runId, change, ask } = here;
    await change((tx) =>
      tx
        .updateTable("run")
        .set({ state: "running", finished_at: null, worker_id: null })
        .where("id", "=", runId)
        .execute(),
    );
    expect(foundBy(await ask())).toContainEqual({
      check: "stuck",
      subject: `run ${runId} (running)`,
      text: "no server is working on it",
    });
    await change((tx) =>
      tx
        .updateTable("run")
        .set({ state: "succeeded", finished_at: Date.now() })
        .where("id", "=", runId)
        .execute(),
    );
  });
});
