import { randomBytes, randomUUID } from "node:crypto";
import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openBlobStorage } from "#blobs/open-storage.ts";
import { readSettings } from "#server/settings.ts";
import { findStuck } from "#store/checks/stuck-checks.ts";
import type { Store, Tx } from "#store/database/store.ts";
import { putBudget } from "#store/money/budgets.ts";
import { doctor } from "../../../src/commands/doctor.ts";
import { forEachDatabase, type TestDatabase } from "../../support/databases/databases.ts";
import { type Ended, runBottega } from "../../support/server/run-command.ts";
import { createStudio, type Studio } from "../../support/studio/studio.ts";

type Report = {
  clean: boolean;
  checks: { check: string; findings: { subject: string; text: string; mended?: string }[] }[];
};

forEachDatabase((_, create) => {
  let database: TestDatabase;
  let studio: Studio;
  let store: Store;
  let runId: string;
  let sha256: string;
  let keyId: string;
  const change = (unit: (tx: Tx) => Promise<unknown>) =>
    store.write(async (tx) => void (await unit(tx)));
  type Flag = "deep" | "mend" | "removeStrays";
  /** In this process: starting another takes longer than all that the doctor looks at. */
  const ask = async (flag?: Flag): Promise<{ code: number; report: Report }> => {
    const lines: string[] = [];
    const flags = { deep: false, mend: false, removeStrays: false, json: true };
    const code = await doctor(
      readSettings(database.env, []),
      { ...flags, ...(flag && { [flag]: true }) },
      (line) => lines.push(line),
    );
    return { code, report: JSON.parse(lines.join("\n")) as Report };
  };
  const runDoctor = async (...flags: string[]): Promise<Ended & { report: Report }> => {
    const ended = await runBottega(["doctor", "--json", ...flags], database.env);
    expect(ended.stderr).toBe("");
    return { ...ended, report: JSON.parse(ended.stdout) as Report };
  };
  const foundBy = ({ report }: { report: Report }) =>
    report.checks.flatMap(({ check, findings }) =>
      findings.map(({ subject, text, mended }) => ({ check, subject, text, mended })),
    );
  const blobPath = (hash: string) =>
    join(database.dataFolder, "blobs", hash.slice(0, 2), hash.slice(2, 4), hash);

  beforeAll(async () => {
    database = await create();
    studio = await createStudio(database);
    store = studio.instance.deps.store;
    await change((tx) =>
      putBudget(store, tx, {
        id: "budget-1",
        scope: "instance",
        scopeId: null,
        period: "month",
        timeZone: "Europe/Vienna",
        limitMicros: 1_000_000_000,
        onLimit: "warn",
        authority: "admin",
        createdBy: studio.person.user.id,
        at: Date.now(),
      }),
    );
    const run = await studio.make("a picture that is paid for");
    runId = run.id;
    await studio.ended(run.id);
    await studio.ended((await studio.ask("say something")).run.id);
    const key = await studio.instance.createKey(studio.person);
    keyId = key.id;
    const input = { prompt: "a picture of a program", image_size: { width: 64, height: 64 } };
    const body = {
      projectId: studio.person.projectId,
      models: [studio.models.fal],
      task: "image" as const,
      input,
    };
    const made = await key.call<{ runs: { id: string }[] }>("createRuns", { body });
    await studio.ended(made.body.runs[0]!.id);
    [sha256] = (await studio.assetsOf(run.id)).map((asset) => asset.sha256) as [string];
  });
  afterAll(() => studio.close());

  // Each damage is undone by its test: what is found is of that test alone.
  it("finds nothing while the server works, and says so in words", async () => {
    const ended = await runBottega(["doctor", "--deep"], database.env);
    expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining("No problems found.") });
    expect(ended.stdout.match(/^ok /gm)).toHaveLength(18);
    expect((await studio.spentOf(runId)).length).toBe(1);
  });

  it("a balance that is not the sum of its entries is found, and recomputed only with --mend", async () => {
    await change((tx) =>
      tx
        .updateTable("balance")
        .set((e) => ({ spent_micros: e("spent_micros", "+", 5), held_micros: 7 }))
        .execute(),
    );
    const found = await ask();
    expect(found.code).toBe(1);
    expect(foundBy(found)).toEqual([
      {
        check: "balances",
        subject: expect.stringContaining("budget-1"),
        text: expect.stringContaining("held $0.000007"),
      },
    ]);
    expect(await ask()).toMatchObject({ code: 1 });
    const mended = await ask("mend");
    expect(mended.code).toBe(0);
    expect(foundBy(mended)).toMatchObject([{ mended: "recomputed from the ledger" }]);
  });

  it("a day of usage that is not the sum of what was booked is found and fixed", async () => {
    await change((tx) =>
      tx
        .updateTable("usage_day")
        .set((e) => ({ micros: e("micros", "+", 3) }))
        .where("model_id", "=", "sim/flux/dev")
        .execute(),
    );
    const subject = expect.stringContaining("sim/flux/dev");
    // Its month no longer is the sum of its days, either.
    expect(foundBy(await ask())).toMatchObject([
      { check: "usage", subject },
      { check: "months", subject },
    ]);
    expect(await ask("mend")).toMatchObject({ code: 0 });
    expect(foundBy(await ask())).toEqual([]);
  });

  it("a month of usage that is not the sum of its days is found and fixed", async () => {
    await change((tx) =>
      tx
        .updateTable("usage_month")
        .set((e) => ({ micros: e("micros", "-", 3) }))
        .where("model_id", "=", "sim/flux/dev")
        .execute(),
    );
    expect(foundBy(await ask())).toMatchObject([
      { check: "months", text: expect.stringMatching(/^shows \$.*; its days add up to \$/) },
    ]);
    expect(await ask("mend")).toMatchObject({ code: 0 });
    expect(foundBy(await ask())).toEqual([]);
  });

  it("a day of an API key that is not the sum of what was booked for it is found and fixed, its month with it", async () => {
    const shown = () => store.read.selectFrom("usage_key_day").selectAll().execute();
    const asBooked = await shown();
    await change((tx) =>
      tx
        .updateTable("usage_key_day")
        .set((e) => ({ micros: e("micros", "+", 3) }))
        .execute(),
    );
    const subject = expect.stringContaining(`API key ${keyId}`);
    expect(foundBy(await ask())).toMatchObject([
      {
        check: "key-usage",
        subject,
        text: expect.stringMatching(/^shows \$.*; the ledger says \$/),
      },
      { check: "key-months", subject },
    ]);
    expect(await ask("mend")).toMatchObject({ code: 0 });
    expect(foundBy(await ask())).toEqual([]);
    expect(await shown()).toEqual(asBooked);
  });

  it("a month of an API key that is not the sum of its days, or is not there, is found and fixed", async () => {
    const shown = () => store.read.selectFrom("usage_key_month").selectAll().execute();
    const asBooked = await shown();
    expect(asBooked).toMatchObject([{ api_key_id: keyId, runs: 1 }]);
    await change((tx) => tx.deleteFrom("usage_key_month").execute());
    expect(foundBy(await ask())).toMatchObject([
      { check: "key-months", text: expect.stringMatching(/^shows \$.*; its days add up to \$/) },
    ]);
    expect(await ask("mend")).toMatchObject({ code: 0 });
    expect(await shown()).toEqual(asBooked);
  });

  it("a run that holds, cost or was settled otherwise than the books say is found, and nothing fixes it", async () => {
    await change((tx) =>
      tx
        .updateTable("run")
        .set((e) => ({ held_micros: 11, cost_micros: e("cost_micros", "+", 1) }))
        .where("id", "=", runId)
        .execute(),
    );
    const found = await ask("mend");
    expect(found.code).toBe(1);
    expect(foundBy(found)).toEqual([
      {
        check: "runs",
        subject: `run ${runId} (succeeded)`,
        text: expect.stringMatching(/holds \$0\.000011.*; cost/),
      },
    ]);
    await change((tx) =>
      tx
        .updateTable("run")
        .set((e) => ({ held_micros: 0, cost_micros: e("cost_micros", "-", 1) }))
        .where("id", "=", runId)
        .execute(),
    );
    const setBasis = (cost_basis: "known" | "assumed") =>
      change((tx) => tx.updateTable("run").set({ cost_basis }).where("id", "=", runId).execute());
    await setBasis("assumed");
    expect(foundBy(await ask())).toMatchObject([
      { check: "runs", text: expect.stringMatching(/^is assumed to be free, the ledger says \$/) },
    ]);
    await setBasis("known");
    const [entry] = await studio.spentOf(runId);
    await change(async (tx) => {
      for (const micros of [9, -9])
        await tx
          .insertInto("ledger_entry")
          .values({ ...entry!, id: `second${micros}`, settlement: `second${micros}`, micros })
          .execute();
    });
    expect(foundBy(await ask())).toMatchObject([{ check: "runs", text: "was settled 3 times" }]);
    await change((tx) => tx.deleteFrom("ledger_entry").where("id", "like", "second%").execute());
  });

  it("a result that was not stored, and an asset whose file has no row, are found", async () => {
    const [asset] = await studio.assetsOf(runId);
    await change((tx) =>
      tx.updateTable("output").set({ asset_id: "nowhere" }).where("run_id", "=", runId).execute(),
    );
    const inStorage = `its asset nowhere does not exist; the file ${sha256} is in the storage`;
    expect(foundBy(await ask())).toEqual([
      { check: "results", subject: `result 0 of run ${runId} (succeeded)`, text: inStorage },
    ]);
    await change((tx) =>
      tx
        .updateTable("output")
        .set({ asset_id: null, sha256: "1".repeat(64) })
        .where("run_id", "=", runId)
        .execute(),
    );
    const setState = (state: "succeeded" | "failed") =>
      change((tx) => tx.updateTable("run").set({ state }).where("id", "=", runId).execute());
    for (const state of ["succeeded", "failed"] as const) {
      await setState(state);
      const text = `it has no asset; the file ${"1".repeat(64)} is gone`;
      expect(foundBy(await ask())).toEqual([
        { check: "results", subject: `result 0 of run ${runId} (${state})`, text },
      ]);
    }
    await setState("succeeded");
    await change((tx) =>
      tx.updateTable("output").set({ sha256 }).where("run_id", "=", runId).execute(),
    );
    await change((tx) =>
      tx.updateTable("output").set({ asset_id: asset!.id }).where("run_id", "=", runId).execute(),
    );
    await change((tx) =>
      tx
        .updateTable("asset")
        .set({ blob_sha256: "0".repeat(64) })
        .where("id", "=", asset!.id)
        .execute(),
    );
    expect(foundBy(await ask())).toMatchObject([
      {
        check: "assets",
        subject: `asset ${asset!.id}`,
        text: expect.stringMatching(/^names the file 0{64}, .* its bytes are gone$/),
      },
    ]);
    await change((tx) =>
      tx.updateTable("asset").set({ blob_sha256: sha256 }).where("id", "=", asset!.id).execute(),
    );
  });

  it("an asset whose file was collected while it was being saved is found, with what is left of the file", async () => {
    const [asset] = await studio.assetsOf(runId);
    await change((tx) =>
      tx.updateTable("blob").set({ state: "deleting" }).where("sha256", "=", sha256).execute(),
    );
    const check = { check: "assets", subject: `asset ${asset!.id}` };
    expect(foundBy(await ask())).toMatchObject([
      {
        ...check,
        text: expect.stringMatching(/is marked for deletion; its bytes are in the storage$/),
      },
    ]);
    const bytes = readFileSync(blobPath(sha256));
    rmSync(blobPath(sha256));
    expect(foundBy(await ask("mend"))).toMatchObject([
      { ...check, text: expect.stringMatching(/its bytes are gone$/) },
    ]);
    writeFileSync(blobPath(sha256), bytes);
    await change((tx) =>
      tx.updateTable("blob").set({ state: "stored" }).where("sha256", "=", sha256).execute(),
    );
    expect(foundBy(await ask())).toEqual([]);
  });

  it("a failed run whose job was never asked about again is found, and no longer once somebody has looked", async () => {
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

  it("a run that cost more than was reserved for it without saying so is found, and gets its warning", async () => {
    const [entry] = await studio.spentOf(runId);
    const row = {
      ...entry!,
      id: "overage",
      kind: "overage" as const,
      settlement: null,
      micros: 300,
    };
    await change(async (tx) => {
      await tx.insertInto("ledger_entry").values(row).execute();
      await tx
        .updateTable("ledger_entry")
        .set((e) => ({ micros: e("micros", "-", 300) }))
        .where("id", "=", entry!.id)
        .execute();
    });
    const subject = `run ${runId} (succeeded)`;
    const text =
      "cost $0.025000, which is $0.000300 more than was reserved for it, and does not say so";
    expect(foundBy(await ask())).toEqual([{ check: "overages", subject, text }]);
    expect(foundBy(await ask("mend"))).toMatchObject([
      { check: "overages", mended: "the run carries the warning now" },
    ]);
    expect((await studio.runOf(runId)).warnings).toEqual([
      {
        type: "overage",
        feature: "cost",
        message: "This cost $0.025, more than the $0.0247 reserved for it.",
      },
    ]);
    expect(foundBy(await ask())).toEqual([]);
  });

  it("a run that succeeded without a cost that its price and usage tell is found, and booked once", async () => {
    const run = await store.read
      .selectFrom("run")
      .selectAll()
      .where("id", "=", runId)
      .executeTakeFirstOrThrow();
    const without = { cost_micros: null, cost_basis: null };
    const price_snapshot = JSON.stringify([{ unit: "image", micros: "400" }]);
    const usage = JSON.stringify({ units: { images: "2" } });
    await change(async (tx) => {
      await tx.deleteFrom("ledger_entry").where("run_id", "=", runId).execute();
      const ofRun = tx.updateTable("run").where("id", "=", runId);
      await ofRun.set({ ...without, price_snapshot, usage: "{}" }).execute();
    });
    await ask("mend");
    // Nothing tells what it cost.
    expect(foundBy(await ask())).toEqual([]);
    await change((tx) => tx.updateTable("run").set({ usage }).where("id", "=", runId).execute());
    expect(foundBy(await ask())).toEqual([
      {
        check: "unpriced",
        subject: `run ${runId} (succeeded)`,
        text: "has no cost; by its price and usage it cost $0.000800",
      },
    ]);
    expect(foundBy(await ask("mend"))).toMatchObject([{ mended: "its cost is booked now" }]);
    expect(await studio.runOf(runId)).toMatchObject({ costMicros: 800, costBasis: "known" });
    const booked = await studio.ledgerOf(runId);
    expect(booked).toMatchObject([
      { kind: "adjust", micros: 800, note: "From the price and the usage." },
    ]);
    // Balances and usage have it too.
    expect(foundBy(await ask("mend"))).toEqual([]);
    expect(await studio.ledgerOf(runId)).toEqual(booked);
    const { cost_micros, cost_basis } = run;
    await change((tx) =>
      tx
        .updateTable("run")
        .set({ usage: run.usage, price_snapshot: run.price_snapshot, cost_micros, cost_basis })
        .where("id", "=", runId)
        .execute(),
    );
    await change((tx) =>
      tx
        .updateTable("ledger_entry")
        .set({ micros: cost_micros! })
        .where("run_id", "=", runId)
        .execute(),
    );
    await ask("mend");
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
      // Of a worker that is not in this process, or it would take up a run of its own that it does not know.
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

  it("a file that is gone, cut or changed is found", async () => {
    const bytes = readFileSync(blobPath(sha256));
    rmSync(blobPath(sha256));
    expect(foundBy(await ask())).toMatchObject([
      {
        check: "files",
        subject: `file ${sha256}`,
        text: expect.stringMatching(/^is missing; needed by asset /),
      },
    ]);
    writeFileSync(blobPath(sha256), bytes.subarray(1));
    expect(foundBy(await ask())).toMatchObject([
      { check: "files", text: expect.stringMatching(/^is damaged/) },
    ]);
    const changed = Buffer.from(bytes);
    changed[changed.length - 1]! ^= 1;
    writeFileSync(blobPath(sha256), changed);
    expect(foundBy(await ask())).toEqual([]);
    expect(foundBy(await ask("deep"))).toMatchObject([
      { check: "files", text: expect.stringMatching(/^is damaged/) },
    ]);
    writeFileSync(blobPath(sha256), bytes);
  });

  it("a file without a row is found once it is older than the grace, and given to the collector on a word of its own", async () => {
    const stray = randomBytes(32).toString("hex");
    mkdirSync(dirname(blobPath(stray)), { recursive: true });
    appendFileSync(blobPath(stray), "stray");
    expect(foundBy(await runDoctor())).toEqual([]);
    const old = new Date(Date.now() - 2 * 60 * 60_000);
    utimesSync(blobPath(stray), old, old);
    expect(foundBy(await runDoctor())).toMatchObject([
      { check: "strays", subject: `file ${stray}` },
    ]);
    expect(await runDoctor("--mend")).toMatchObject({ code: 1 });
    expect(await runDoctor("--remove-strays")).toMatchObject({ code: 0 });
    await change((tx) => tx.deleteFrom("blob").where("sha256", "=", stray).execute());
    rmSync(blobPath(stray));
  });

  it("an asset whose file has no row is found, and gets the row again where the bytes are there", async () => {
    const row = await store.read
      .selectFrom("blob")
      .selectAll()
      .where("sha256", "=", sha256)
      .executeTakeFirstOrThrow();
    await change((tx) => tx.deleteFrom("blob").where("sha256", "=", sha256).execute());
    expect(foundBy(await ask())).toMatchObject([
      { check: "assets", text: expect.stringContaining("its bytes are in the storage") },
    ]);
    expect(foundBy(await ask("mend"))).toMatchObject([
      { check: "assets", mended: "its file has a row again" },
    ]);
    expect(
      await store.read
        .selectFrom("blob")
        .select(["sha256", "bytes", "state"])
        .where("sha256", "=", sha256)
        .execute(),
    ).toEqual([{ sha256, bytes: row.bytes, state: "stored" }]);
    expect(foundBy(await ask())).toEqual([]);
  });

  it("files of another Bottega are found to be such, and are no strays", async () => {
    const ownMark = await store.read
      .selectFrom("instance")
      .select("files_nonce")
      .executeTakeFirstOrThrow();
    const { mark } = openBlobStorage(undefined, database.dataFolder, {}, { sweep: false });
    expect(
      await mark.replace(await mark.read(), { nonce: crypto.randomUUID(), renewedAt: Date.now() }),
    ).toBe(true);
    expect(foundBy(await ask())).toMatchObject([
      { check: "owner", text: expect.stringContaining("another Bottega") },
    ]);
    let isOver = false;
    const takingOver = runBottega(["take-over"], database.env).finally(() => {
      isOver = true;
    });
    // Its owner lives: it renews the mark.
    while (!isOver) {
      await mark.replace(await mark.read(), { nonce: crypto.randomUUID(), renewedAt: Date.now() });
      await sleep(100);
    }
    expect(await takingOver).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("Stop it, then take over again"),
    });
    await mark.replace(await mark.read(), { nonce: crypto.randomUUID(), renewedAt: null });
    expect(await runBottega(["take-over"], database.env)).toMatchObject({ code: 0 });
    expect(foundBy(await ask())).toEqual([]);
    expect(ownMark.files_nonce).toBeNull();
  });

  it("a job that many restarts took up again, and that its provider still works on, is not stuck", async () => {
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

  it("a run that nobody will ever move is found", async () => {
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
