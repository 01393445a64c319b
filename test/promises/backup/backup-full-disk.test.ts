import { randomBytes } from "node:crypto";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import {
  createEmptyDatabase,
  forEachEmptyDatabase,
  type TestDatabase,
} from "../../support/databases/databases.ts";
import { openSmallDisk, withFilesUpTo } from "../../support/databases/small-disk.ts";
import { type Ended, runBottega } from "../../support/server/run-command.ts";
import { setUpServer, uploadToServer } from "../../support/server/server-client.ts";
import { startServer } from "../../support/server/server-process.ts";
import { createTempFolder } from "../../support/temp.ts";

const kilobyte = 1024;
const largeBytes = 3_000 * kilobyte;

/** A real server with a small file. */
async function startStudio(database: TestDatabase) {
  const server = await startServer({ dataFolder: database.dataFolder, env: database.env });
  onTestFinished(() => server.kill9());
  const client = await setUpServer(server);
  let count = 0;
  const upload = (bytes: number) =>
    uploadToServer(client, `${++count}.bin`, new Uint8Array(randomBytes(bytes)));
  await upload(200 * kilobyte);
  return { client, upload };
}

/** Expects a sentence for the person who ran the command, without program internals. */
function expectTold({ code, stdout, stderr }: Ended, place: string): void {
  const sentences = [
    `The disk is full: ${place}`,
    `A file is larger than this disk takes: ${place}`,
    "The disk failed",
  ];
  expect(sentences.map((sentence) => `${sentence}. The unfinished part is not valid.`)).toContain(
    stderr.trim(),
  );
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
}

/** @returns the number of files in the restored data */
async function restored(folder: string, inside: readonly string[] = []): Promise<number> {
  const target = await createEmptyDatabase("sqlite");
  expect(await runBottega(["restore", folder], target.env, inside)).toMatchObject({ code: 0 });
  expect(await runBottega(["doctor", "--deep"], target.env)).toMatchObject({ code: 0 });
  return readdirSync(join(target.dataFolder, "blobs"), {
    recursive: true,
    encoding: "utf8",
  }).filter((path) => /[0-9a-f]{64}$/.test(path)).length;
}

forEachEmptyDatabase((_, create) => {
  it("a backup onto a full disk reports it, leaves only the previous backup, and the server continues", async () => {
    const database = await create();
    const { client, upload } = await startStudio(database);
    const disk = await openSmallDisk(16 * 1024 ** 2);
    const folder = join(disk?.folder ?? createTempFolder("full"), "backup");
    const backup = (words: readonly string[] = []) =>
      runBottega(["backup", folder, "--with-key"], database.env, [
        ...(disk?.inside ?? []),
        ...words,
      ]);
    const onFull = async (): Promise<Ended> => {
      if (!disk) return backup(withFilesUpTo(2 * 1024 ** 2));
      disk.fill();
      return backup().finally(disk.free);
    };
    await upload(largeBytes);
    expectTold(await onFull(), folder);
    const nothing = await runBottega(
      ["restore", folder],
      (await createEmptyDatabase("sqlite")).env,
      disk?.inside,
    );
    expect(nothing).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("no finished backup"),
    });

    expect(await backup()).toMatchObject({ code: 0 });
    await upload(largeBytes);
    expectTold(await onFull(), folder);
    expect(await restored(folder, disk?.inside)).toBe(2);
    expect(
      (await client.call("listAssets", { query: { projectId: client.projectId } })).status,
    ).toBe(200);
    expect(await backup()).toMatchObject({ code: 0 });
  });

  it("a restore with too little room is whole, or reports failure and leaves no database", async () => {
    const database = await create();
    await startStudio(database);
    const folder = createTempFolder("backup");
    expect(await runBottega(["backup", folder, "--with-key"], database.env)).toMatchObject({
      code: 0,
    });
    let isWhole = false;
    // From too little for the files alone to enough for the database and, with PostgreSQL, its log.
    for (let kilobytes = 300; !isWhole; kilobytes += 400) {
      const disk = await openSmallDisk(kilobytes * kilobyte);
      const data = disk?.folder ?? createTempFolder("data");
      const ended = await runBottega(
        ["restore", folder],
        { BOTTEGA_DATA: data },
        disk?.inside ?? withFilesUpTo(kilobytes * kilobyte),
      );
      isWhole = ended.code === 0;
      if (isWhole)
        expect(
          await runBottega(["doctor", "--deep"], { BOTTEGA_DATA: data }, disk?.inside),
        ).toMatchObject({ code: 0 });
      else {
        expectTold(ended, data);
        expect(
          readdirSync(disk?.reach ?? data).filter((name) => name.startsWith("bottega.db")),
        ).toEqual([]);
      }
      expect(isWhole && kilobytes === 300, "the first was too small").toBe(false);
    }
  });
});
