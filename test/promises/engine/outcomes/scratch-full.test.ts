import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { openS3Store } from "#blobs/s3.ts";
import { parseS3Url } from "#blobs/s3-location.ts";
import { startS3 } from "../../../simulators/s3/s3.ts";
import { onSqlite, type TestDatabase } from "../../../support/databases/databases.ts";
import { openScratchDisk } from "../../../support/databases/small-disk.ts";
import { until } from "../../../support/server/instance.ts";
import { createStudio } from "../../../support/studio/studio.ts";

/** A studio whose files are in a bucket, and whose scratch disk is full. */
async function createScene(database: TestDatabase, retryMs: number) {
  const s3 = await startS3();
  onTestFinished(() => s3.stop());
  const location = parseS3Url(s3.url, {
    AWS_ACCESS_KEY_ID: s3.accessKeyId,
    AWS_SECRET_ACCESS_KEY: s3.secretAccessKey,
  });
  const blobs = openS3Store({ location, spoolFolder: join(database.dataFolder, "spool") });
  const scratch = await openScratchDisk();
  scratch.fill();
  let looks = 0;
  const quiet = () => undefined;
  const warn = (_facts: object, words: string): void => {
    if (words === "could not look into an output") looks++;
  };
  const instance = {
    blobs,
    scratchFolder: scratch.folder,
    outputRetryMs: [retryMs],
    log: { info: quiet, error: quiet, warn },
  };
  const studio = await createStudio(database, { endsWithTest: true, instance });
  return { studio, scratch, blobs, looks: () => looks };
}

onSqlite((create) => {
  it("a scratch disk that is full for a while delays a preview, and the picture has it", async () => {
    const { studio, scratch, blobs, looks } = await createScene(await create(), 500);
    const run = await studio.make("seen later");
    await until("it was tried twice", async () => looks() >= 2);
    expect((await studio.runOf(run.id)).state).toBe("storing");
    const [blob] = await studio.instance.store.db.selectFrom("blob").selectAll().execute();
    expect(await blobs.stat(blob!.sha256), "what was paid for is kept by then").toEqual({
      bytes: Number(blob!.bytes),
    });
    scratch.free();
    expect(await studio.ended(run.id)).toMatchObject({
      state: "succeeded",
      attempts: 1,
      warnings: [],
    });
    const [asset] = await studio.assetsOf(run.id);
    expect(asset).toMatchObject({
      width: 64,
      height: 64,
      variants: ["thumb-320.webp", "thumb-640.webp", "thumb-1280.webp"],
    });
    expect(readdirSync(scratch.folder)).toEqual([]);
    expect(studio.fal.ledger.postsOf("seen later")).toBe(1);
  });

  it("a scratch disk that stays full drops a picture's preview with a note, refuses uploads for lack of room, and leaves nothing behind", async () => {
    const { studio, scratch } = await createScene(await create(), 20);
    const run = await studio.make("never seen");
    expect(await studio.ended(run.id)).toMatchObject({
      state: "succeeded",
      attempts: 1,
      heldMicros: 0,
    });
    const { warnings } = await studio.runOf(run.id);
    expect(warnings).toMatchObject([
      {
        type: "note",
        feature: "outputs.0",
        message: expect.stringMatching(/^Result 1 has no preview: .+ The whole file is saved\.$/),
      },
    ]);
    const [asset] = await studio.assetsOf(run.id);
    expect(asset).toMatchObject({
      kind: "image",
      mime: "image/png",
      variants: [],
      thumbhash: null,
    });
    const bytes = await studio.bytesOf(asset!.sha256);
    expect(bytes).toHaveLength(asset!.bytes);
    expect(
      (await studio.spentOf(run.id)).map(({ kind, micros }) => [kind, Number(micros)]),
    ).toEqual([["spend", 25_000]]);
    const upload = await studio.instance.request(
      `/api/v1/uploads?projectId=${studio.person.projectId}&name=a.png`,
      {
        method: "POST",
        headers: { cookie: studio.person.cookie },
        body: new Uint8Array(bytes),
      },
    );
    expect([507, 503]).toContain(upload.status);
    scratch.free();
    expect(readdirSync(scratch.folder)).toEqual([]);
  });
});
