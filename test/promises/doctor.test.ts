import { randomBytes } from "node:crypto";
import { appendFileSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openBlobStorage } from "#blobs/blob-store.ts";
import { putBudget } from "#store/budgets.ts";
import type { Store, Tx } from "#store/store.ts";
import { forEachDatabase, type TestDatabase } from "../support/databases.ts";
import { type Ended, runBottega } from "../support/run-command.ts";
import { createStudio, type Studio } from "../support/studio.ts";

type Report = { clean: boolean; checks: { check: string; findings: { subject: string; text: string; mended?: string }[] }[] };

forEachDatabase((_, create) => {
  let database: TestDatabase;
  let studio: Studio;
  let store: Store;
  let runId: string;
  let sha256: string;
  let keyId: string;
  const change = (unit: (tx: Tx) => Promise<unknown>) => store.write(async (tx) => void (await unit(tx)));
  const ask = async (...flags: string[]): Promise<Ended & { report: Report }> => {
    const ended = await runBottega(["doctor", "--json", ...flags], database.env);
    expect(ended.stderr).toBe("");
    return { ...ended, report: JSON.parse(ended.stdout) as Report };
  };
  const foundBy = ({ report }: { report: Report }) =>
    report.checks.flatMap(({ check, findings }) => findings.map(({ subject, text, mended }) => ({ check, subject, text, mended })));
  const blobPath = (hash: string) => join(database.dataFolder, "blobs", hash.slice(0, 2), hash.slice(2, 4), hash);

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
    const body = { projectId: studio.person.projectId, models: [studio.models.fal], task: "image" as const, input };
    const made = await key.call<{ runs: { id: string }[] }>("createRuns", { body });
    await studio.ended(made.body.runs[0]!.id);
    [sha256] = (await studio.assetsOf(run.id)).map((asset) => asset.sha256) as [string];
  });
  afterAll(() => studio.close());

  // Each damage is undone by its test: what is found is of that test alone.
  it("finds nothing while the server works, and says so in words", async () => {
    const ended = await runBottega(["doctor", "--deep"], database.env);
    expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining("All is well.") });
    expect(ended.stdout.match(/^ok /gm)).toHaveLength(12);
    expect((await studio.spentOf(runId)).length).toBe(1);
  });

  it("a balance that is not the sum of its entries is found, and counted anew only when told to", async () => {
    await change((tx) =>
      tx
        .updateTable("balance")
        .set((e) => ({ spent_micros: e("spent_micros", "+", 5), held_micros: 7 }))
        .execute(),
    );
    const found = await ask();
    expect(found.code).toBe(1);
    expect(foundBy(found)).toEqual([
      { check: "balances", subject: expect.stringContaining("budget-1"), text: expect.stringContaining("held $0.000007") },
    ]);
    expect(await ask()).toMatchObject({ code: 1 });
    const mended = await ask("--mend");
    expect(mended.code).toBe(0);
    expect(foundBy(mended)).toMatchObject([{ mended: "counted anew from the books" }]);
  });

  it("a day of usage that is not the sum of what was booked is found and mended", async () => {
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
    expect(await ask("--mend")).toMatchObject({ code: 0 });
    expect(foundBy(await ask())).toEqual([]);
  });

  it("a month of usage that is not the sum of its days is found and mended", async () => {
    await change((tx) =>
      tx
        .updateTable("usage_month")
        .set((e) => ({ micros: e("micros", "-", 3) }))
        .where("model_id", "=", "sim/flux/dev")
        .execute(),
    );
    expect(foundBy(await ask())).toMatchObject([{ check: "months", text: expect.stringMatching(/^shows \$.*; its days \$/) }]);
    expect(await ask("--mend")).toMatchObject({ code: 0 });
    expect(foundBy(await ask())).toEqual([]);
  });

  it("a day of an API key that is not the sum of what was booked for it is found and mended, its month with it", async () => {
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
      { check: "key-usage", subject, text: expect.stringMatching(/^shows \$.*; by the books \$/) },
      { check: "key-months", subject },
    ]);
    expect(await ask("--mend")).toMatchObject({ code: 0 });
    expect(foundBy(await ask())).toEqual([]);
    expect(await shown()).toEqual(asBooked);
  });

  it("a month of an API key that is not the sum of its days, or is not there, is found and mended", async () => {
    const shown = () => store.read.selectFrom("usage_key_month").selectAll().execute();
    const asBooked = await shown();
    expect(asBooked).toMatchObject([{ api_key_id: keyId, runs: 1 }]);
    await change((tx) => tx.deleteFrom("usage_key_month").execute());
    expect(foundBy(await ask())).toMatchObject([{ check: "key-months", text: expect.stringMatching(/^shows \$.*; its days \$/) }]);
    expect(await ask("--mend")).toMatchObject({ code: 0 });
    expect(await shown()).toEqual(asBooked);
  });

  it("a run that holds, cost or was settled otherwise than the books say is found, and nothing mends it", async () => {
    await change((tx) =>
      tx
        .updateTable("run")
        .set((e) => ({ held_micros: 11, cost_micros: e("cost_micros", "+", 1) }))
        .where("id", "=", runId)
        .execute(),
    );
    const found = await ask("--mend");
    expect(found.code).toBe(1);
    expect(foundBy(found)).toEqual([
      { check: "runs", subject: `run ${runId} (succeeded)`, text: expect.stringMatching(/holds \$0\.000011.*; cost/) },
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
    expect(foundBy(await ask())).toMatchObject([{ check: "runs", text: expect.stringMatching(/^is assumed to be free, by the books \$/) }]);
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
    await change((tx) => tx.updateTable("output").set({ asset_id: "nowhere" }).where("run_id", "=", runId).execute());
    expect(foundBy(await ask())).toMatchObject([{ check: "results", subject: "asset nowhere" }]);
    await change((tx) => tx.updateTable("output").set({ asset_id: asset!.id }).where("run_id", "=", runId).execute());
    await change((tx) =>
      tx
        .updateTable("asset")
        .set({ blob_sha256: "0".repeat(64) })
        .where("id", "=", asset!.id)
        .execute(),
    );
    expect(foundBy(await ask())).toMatchObject([
      { check: "assets", subject: `asset ${asset!.id}`, text: expect.stringMatching(/^names the file 0{64}, .* its bytes are gone$/) },
    ]);
    await change((tx) => tx.updateTable("asset").set({ blob_sha256: sha256 }).where("id", "=", asset!.id).execute());
  });

  it("a file that is gone, cut or changed is found", async () => {
    const bytes = readFileSync(blobPath(sha256));
    rmSync(blobPath(sha256));
    expect(foundBy(await ask())).toMatchObject([
      { check: "files", subject: `file ${sha256}`, text: expect.stringMatching(/^is missing; needed by asset /) },
    ]);
    writeFileSync(blobPath(sha256), bytes.subarray(1));
    expect(foundBy(await ask())).toMatchObject([{ check: "files", text: expect.stringMatching(/^is damaged/) }]);
    const changed = Buffer.from(bytes);
    changed[changed.length - 1]! ^= 1;
    writeFileSync(blobPath(sha256), changed);
    expect(foundBy(await ask())).toEqual([]);
    expect(foundBy(await ask("--deep"))).toMatchObject([{ check: "files", text: expect.stringMatching(/^is damaged/) }]);
    writeFileSync(blobPath(sha256), bytes);
  });

  it("a file without a row is found once it is older than the grace, and given to the collector on a word of its own", async () => {
    const stray = randomBytes(32).toString("hex");
    mkdirSync(dirname(blobPath(stray)), { recursive: true });
    appendFileSync(blobPath(stray), "stray");
    expect(foundBy(await ask())).toEqual([]);
    const old = new Date(Date.now() - 2 * 60 * 60_000);
    utimesSync(blobPath(stray), old, old);
    expect(foundBy(await ask())).toMatchObject([{ check: "strays", subject: `file ${stray}` }]);
    expect(await ask("--mend")).toMatchObject({ code: 1 });
    expect(await ask("--remove-strays")).toMatchObject({ code: 0 });
    await change((tx) => tx.deleteFrom("blob").where("sha256", "=", stray).execute());
    rmSync(blobPath(stray));
  });

  it("an asset whose file has no row is found, and gets the row again where the bytes are there", async () => {
    const row = await store.read.selectFrom("blob").selectAll().where("sha256", "=", sha256).executeTakeFirstOrThrow();
    await change((tx) => tx.deleteFrom("blob").where("sha256", "=", sha256).execute());
    expect(foundBy(await ask())).toMatchObject([{ check: "assets", text: expect.stringContaining("its bytes are in the storage") }]);
    expect(foundBy(await ask("--mend"))).toMatchObject([{ check: "assets", mended: "its file has a row again" }]);
    expect(await store.read.selectFrom("blob").select(["sha256", "bytes", "state"]).where("sha256", "=", sha256).execute()).toEqual([
      { sha256, bytes: row.bytes, state: "stored" },
    ]);
    expect(foundBy(await ask())).toEqual([]);
  });

  it("files of another Bottega are found to be such, and are no strays", async () => {
    const ownMark = await store.read.selectFrom("instance").select("files_nonce").executeTakeFirstOrThrow();
    const { mark } = openBlobStorage(undefined, database.dataFolder, {}, { sweep: false });
    expect(await mark.replace(await mark.read(), { nonce: crypto.randomUUID(), renewedAt: Date.now() })).toBe(true);
    expect(foundBy(await ask())).toMatchObject([{ check: "owner", text: expect.stringContaining("another Bottega") }]);
    const takeOver = await runBottega(["take-over"], database.env);
    expect(takeOver).toMatchObject({ code: 1, stderr: expect.stringContaining("stop it, wait two minutes") });
    await mark.replace(await mark.read(), { nonce: crypto.randomUUID(), renewedAt: null });
    expect(await runBottega(["take-over"], database.env)).toMatchObject({ code: 0 });
    expect(foundBy(await ask())).toEqual([]);
    expect(ownMark.files_nonce).toBeNull();
  });

  it("a run that nobody will ever move is found", async () => {
    await change((tx) =>
      tx.updateTable("run").set({ state: "running", finished_at: null, worker_id: null }).where("id", "=", runId).execute(),
    );
    expect(foundBy(await ask())).toContainEqual({
      check: "stuck",
      subject: `run ${runId} (running)`,
      text: "it is under way, and nobody owns it",
    });
    await change((tx) => tx.updateTable("run").set({ state: "succeeded", finished_at: Date.now() }).where("id", "=", runId).execute());
  });
});
