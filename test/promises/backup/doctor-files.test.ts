import { randomBytes } from "node:crypto";
import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openBlobStorage } from "#blobs/open-storage.ts";
import { forEachDatabase } from "../../support/databases/databases.ts";
import { runBottega } from "../../support/server/run-command.ts";
import {
  createDoctorStudio,
  type DoctorStudio,
  foundBy,
} from "../../support/studio/doctor-studio.ts";

/** The doctor's findings about results, assets and their files. */
forEachDatabase((_, create) => {
  let here: DoctorStudio;
  beforeAll(async () => {
    here = await createDoctorStudio(await create());
  });
  afterAll(() => here.close());

  it("an unsaved result and an asset whose file has no row are found", async () => {
    const { studio, runId, sha256, change, ask } = here;
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
    const { studio, runId, sha256, change, ask, blobPath } = here;
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

  it("a missing, truncated or changed file is found", async () => {
    const { sha256, ask, blobPath } = here;
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

  it("a file without a row is found after the grace period, and collected only on a separate command", async () => {
    const { change, runDoctor, blobPath } = here;
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

  it("an asset whose file has no row is found, and gets its row back if the bytes exist", async () => {
    const { store, sha256, change, ask } = here;
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

  it("files of another instance are recognized, and aren't orphans", async () => {
    const { database, store, ask } = here;
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
    // Its owner is alive and renews the mark.
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
});
