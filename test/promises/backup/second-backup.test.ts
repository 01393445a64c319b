import { createHash, randomBytes } from "node:crypto";
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { startS3 } from "../../simulators/s3/s3.ts";
import { createEmptyDatabase } from "../../support/databases/databases.ts";
import { type Ended, runBottega, runBottegaHere } from "../../support/server/run-command.ts";
import {
  type ServerClient,
  setUpServer,
  uploadToServer,
} from "../../support/server/server-client.ts";
import { hashOf, startCopy } from "../../support/studio/busy-studio.ts";
import { createTempFolder } from "../../support/temp.ts";

type Studio = {
  client: ServerClient;
  /** Backs up into the same folder as before. */
  backUp(...flags: string[]): Promise<Ended>;
  folder: string;
};

/** A Bottega with two files. */
async function startStudio(env: Record<string, string> = {}): Promise<Studio> {
  const database = await createEmptyDatabase("sqlite");
  const client = await setUpServer(await startCopy(database.dataFolder, env));
  for (const name of ["one", "two"])
    await uploadToServer(client, `${name}.bin`, new Uint8Array(randomBytes(1_000)));
  const folder = createTempFolder("backup");
  const run = env.BLOB_URL ? runBottega : runBottegaHere;
  const backUp = (...flags: string[]) =>
    run(["backup", folder, ...flags], { ...database.env, ...env });
  return { client, folder, backUp };
}

const pathOf = (folder: string, sha256: string): string =>
  join(folder, "blobs", sha256.slice(0, 2), sha256.slice(2, 4), sha256);

const manifestOf = (folder: string) =>
  JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8")) as {
    files: { path: string; bytes: number; sha256: string };
  };

type Line = { sha256: string; stamp: string };
const linesOf = (folder: string): Line[] =>
  readFileSync(join(folder, manifestOf(folder).files.path), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

/** In whole seconds, which a program can restore exactly. */
const longAgo = new Date("2001-09-09T01:46:40Z");

/** Writes other bytes of the same length with the same modification time. */
function changeUnseen(path: string): void {
  writeFileSync(path, randomBytes(statSync(path).size));
  utimesSync(path, longAgo, longAgo);
}

/** Updates the backup's manifest to match the files on disk, like bytes that decayed unnoticed. */
function trustWhatIsThere(folder: string): void {
  const manifest = manifestOf(folder);
  const list = linesOf(folder)
    .map((line) => {
      const { size, mtimeMs, ctimeMs } = statSync(pathOf(folder, line.sha256));
      return `${JSON.stringify({ ...line, stamp: `${size} ${mtimeMs} ${ctimeMs}` })}\n`;
    })
    .join("");
  writeFileSync(join(folder, manifest.files.path), list);
  const sha256 = createHash("sha256").update(list).digest("hex");
  const files = { ...manifest.files, bytes: Buffer.byteLength(list), sha256 };
  writeFileSync(join(folder, "manifest.json"), JSON.stringify({ ...manifest, files }));
}

const isWhole = (folder: string, sha256: string): boolean =>
  hashOf(readFileSync(pathOf(folder, sha256))) === sha256;

it("a backup doesn't read files unchanged since the one before", async () => {
  const { backUp, client, folder } = await startStudio();
  expect((await backUp()).stdout).toContain("2 copied, 0 already there. Each was read");
  expect((await backUp()).stdout).toContain("0 copied, 2 already there. 2 are unchanged");
  await uploadToServer(client, "three.bin", new Uint8Array(randomBytes(1_000)));
  expect((await backUp()).stdout).toContain("1 copied, 2 already there. 2 are unchanged");
  for (const { sha256 } of linesOf(folder)) expect(isWhole(folder, sha256)).toBe(true);
  expect((await backUp("--deep")).stdout).toContain("0 copied, 3 already there. Each was read");
});

it("a file altered in a backup is copied again, even with its old size and modification time", async () => {
  const { backUp, folder } = await startStudio();
  await backUp();
  const [{ sha256, stamp }] = linesOf(folder) as [Line];
  utimesSync(pathOf(folder, sha256), longAgo, longAgo);
  await backUp();
  expect(linesOf(folder)[0]!.stamp).not.toBe(stamp);
  changeUnseen(pathOf(folder, sha256));
  expect((await backUp()).stdout).toContain("1 copied, 1 already there. 1 are unchanged");
  expect(isWhole(folder, sha256)).toBe(true);
  rmSync(pathOf(folder, sha256));
  expect((await backUp()).stdout).toContain("1 copied, 1 already there. 1 are unchanged");
  expect(isWhole(folder, sha256)).toBe(true);
});

it("a whole file with changed times is read once and not copied", async () => {
  const { backUp, folder } = await startStudio();
  await backUp();
  const inAYear = new Date(Date.now() + 365 * 24 * 60 * 60_000);
  for (const { sha256 } of linesOf(folder)) utimesSync(pathOf(folder, sha256), inAYear, inAYear);
  expect((await backUp()).stdout).toContain("0 copied, 2 already there. Each was read");
  expect((await backUp()).stdout).toContain("0 copied, 2 already there. 2 are unchanged");
});

it("leftovers of an interrupted backup are read before they count", async () => {
  const { backUp, client, folder } = await startStudio();
  await backUp();
  const bytes = randomBytes(1_000);
  await uploadToServer(client, "three.bin", new Uint8Array(bytes));
  const path = pathOf(folder, hashOf(bytes));
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, Buffer.concat([bytes.subarray(0, 500), Buffer.alloc(500)]));
  expect((await backUp()).stdout).toContain("1 copied, 2 already there. 2 are unchanged");
  expect(isWhole(folder, hashOf(bytes))).toBe(true);
});

it("--deep finds silent corruption, and a list that isn't the manifest's isn't trusted", async () => {
  const { backUp, folder } = await startStudio();
  await backUp();
  const [{ sha256 }] = linesOf(folder) as [Line];
  changeUnseen(pathOf(folder, sha256));
  trustWhatIsThere(folder);
  expect((await backUp()).stdout).toContain("0 copied, 2 already there. 2 are unchanged");
  expect(isWhole(folder, sha256)).toBe(false);
  expect((await backUp("--deep")).stdout).toContain("1 copied, 1 already there. Each was read");
  expect(isWhole(folder, sha256)).toBe(true);

  changeUnseen(pathOf(folder, sha256));
  const manifest = readFileSync(join(folder, "manifest.json"));
  trustWhatIsThere(folder);
  writeFileSync(join(folder, "manifest.json"), manifest);
  expect((await backUp()).stdout).toContain("1 copied, 1 already there. Each was read");
  expect(isWhole(folder, sha256)).toBe(true);
});

it("a changed thumbnail in a backup is copied again", async () => {
  const { backUp, client, folder } = await startStudio();
  const picture = readFileSync(join(import.meta.dirname, "../../../docs/screenshots/phone.webp"));
  await uploadToServer(client, "picture.webp", new Uint8Array(picture));
  await backUp();
  const thumbs = join(folder, "blobs/variants", pathOf("", hashOf(picture)).slice("blobs/".length));
  const path = join(thumbs, readdirSync(thumbs)[0]!);
  const thumb = readFileSync(path);
  changeUnseen(path);
  expect((await backUp()).stdout).toContain("0 copied, 3 already there. 2 are unchanged");
  expect(readFileSync(path).equals(thumb)).toBe(true);
});

it("a bucket isn't asked for files that an earlier backup has", async () => {
  const s3 = await startS3();
  onTestFinished(() => s3.stop());
  const { accessKeyId, secretAccessKey } = s3;
  const { backUp } = await startStudio({
    BLOB_URL: s3.url,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
  });
  await backUp();
  const reads = () => s3.requests.filter(({ key }) => /(blobs|variants)\/[0-9a-f]{64}/.test(key));
  const before = reads().length;
  expect((await backUp()).stdout).toContain("0 copied, 2 already there. 2 are unchanged");
  expect(reads()).toHaveLength(before);
});
