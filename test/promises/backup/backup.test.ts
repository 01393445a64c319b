import { randomBytes } from "node:crypto";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import type { Asset } from "#contract/entities.ts";
import { migrate, migrateTo } from "#store/database/migrate.ts";
import { keptTables, passingTables } from "#store/database/table-list.ts";
import { ensureInstance, getInstance } from "#store/people/people.ts";
import { type S3Simulator, startS3 } from "../../simulators/s3/s3.ts";
import {
  createEmptyDatabase,
  forEachEmptyDatabase,
  type TestDatabase,
} from "../../support/databases/databases.ts";
import { openTestStore } from "../../support/databases/test-store.ts";
import { testPassword } from "../../support/server/instance.ts";
import { type Ended, runBottega, runBottegaHere } from "../../support/server/run-command.ts";
import {
  fileOnServer,
  makeOnServer,
  runEnds,
  type ServerClient,
  setUpServer,
  uploadToServer,
} from "../../support/server/server-client.ts";
import {
  type BusyStudio,
  hashOf,
  postsOf,
  signInAt,
  startBusyStudio,
  startCopy,
  stateOf,
} from "../../support/studio/busy-studio.ts";
import { createTempFolder } from "../../support/temp.ts";

const backupTo = (database: TestDatabase, folder: string, ...flags: string[]): Promise<Ended> =>
  runBottegaHere(["backup", folder, ...flags], database.env);
const restoreTo = (database: TestDatabase, folder: string, ...flags: string[]): Promise<Ended> =>
  runBottegaHere(["restore", folder, ...flags], database.env);

const allAssets = async (client: ServerClient): Promise<Asset[]> =>
  (
    await client.call<{ assets: Asset[] }>("listAssets", {
      query: { projectId: client.projectId, limit: "100" },
    })
  ).body.assets;

async function ledgerOf(database: TestDatabase) {
  const rows = await openTestStore(database)
    .read.selectFrom("ledger_entry")
    .selectAll()
    .orderBy("id")
    .execute();
  return rows;
}

/** The files in a folder and its subfolders. */
const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((path) => join(folder, path))
    .filter((path) => statSync(path).isFile());

const damage = (path: string): void => {
  const bytes = readFileSync(path);
  bytes[Math.floor(bytes.length / 2)]! ^= 1;
  writeFileSync(path, bytes);
};

const blobPath = (folder: string, sha256: string): string =>
  join(folder, "blobs", sha256.slice(0, 2), sha256.slice(2, 4), sha256);

async function underLoad<T>(studio: BusyStudio, work: () => Promise<T>): Promise<T> {
  let isOver = false;
  const load = (async () => {
    for (let n = 0; !isOver; n++) {
      await uploadToServer(studio.client, `load ${n}.bin`, new Uint8Array(randomBytes(50_000)));
      await studio.client.call("createConversation", {
        body: { projectId: studio.client.projectId, title: `load ${n}` },
      });
    }
  })();
  try {
    return await work();
  } finally {
    isOver = true;
    await load;
  }
}

it("a backup from before a table was added is restored by the program that added it", async () => {
  const [before, old, place] = [
    await createEmptyDatabase("postgres"),
    await createEmptyDatabase("postgres"),
    await createEmptyDatabase("postgres"),
  ];
  const migration = "0027-invited-members";
  const first = openTestStore(before);
  await migrateTo(first, migration);
  const known = new Set((await first.db.introspection.getTables()).map(({ name }) => name));
  const store = openTestStore(old);
  await migrate(store, 0);
  await store.write((tx) => ensureInstance(tx, "before", 0));
  const folder = createTempFolder("backup");
  expect(await backupTo(old, folder)).toMatchObject({ code: 0 });
  const path = join(folder, "manifest.json");
  const { database, ...manifest } = JSON.parse(readFileSync(path, "utf8"));
  const tables = database.tables.filter(({ table }: { table: string }) => known.has(table));
  expect(tables.length).toBeLessThan(database.tables.length);
  const older = { ...manifest, migration, database: { ...database, tables } };
  writeFileSync(path, JSON.stringify(older));
  expect(await restoreTo(place, folder, "--without-key")).toMatchObject({ code: 0 });
  const restored = openTestStore(place);
  await migrate(restored, 0);
  expect((await getInstance(restored.read))?.epoch).toBe("before");
});

forEachEmptyDatabase((name, create) => {
  // For the tests that only copy it: its server is killed, so the runs stay in their states, and
  // each test restores the files that it changes.
  let database: TestDatabase;
  let studio: BusyStudio;
  let signedOut: ServerClient;
  const ends: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    database = await create();
    studio = await startBusyStudio(database, (end) => ends.push(end));
    signedOut = await signInAt(studio.server, studio.client.projectId);
    await signedOut.call("signOut");
    await studio.server.kill9();
  });
  afterAll(async () => {
    for (const end of ends) await end();
  });

  it("a backup under load is restored whole elsewhere, and sends nothing by itself", async () => {
    const database = await create();
    const studio = await startBusyStudio(database);
    const folder = join(createTempFolder("backup"), "one");
    const made = await underLoad(studio, () => runBottega(["backup", folder], database.env));
    expect(made, made.stderr).toMatchObject({ code: 0 });
    expect(made.stdout).toContain("The master key is not in this backup");

    // The original continues and no longer matters.
    const posts = postsOf(studio);
    const target = await create();
    const key = readFileSync(join(database.dataFolder, "master.key"), "utf8");
    const refused = await restoreTo(target, folder);
    expect(refused).toMatchObject({ code: 1 });
    expect(refused.stderr).toContain("--without-key");
    writeFileSync(join(target.dataFolder, "master.key"), key);
    const restored = await runBottega(["restore", folder], target.env);
    expect(restored, restored.stderr).toMatchObject({ code: 0 });
    const again = await restoreTo(target, folder);
    expect(again).toMatchObject({ code: 1 });
    expect(again.stderr).toContain("--replace");

    const server = await startCopy(target.dataFolder, target.env);
    expect(server.output()).toContain("This database was restored from a backup");
    const client = await signInAt(server, studio.client.projectId);
    for (const run of studio.queued)
      expect(await stateOf(client, run.id)).toEqual({ state: "queued", waitingFor: "restore" });
    expect((await stateOf(client, studio.sent.id)).state).toBe("unconfirmed");
    expect((await runEnds(client, studio.talking.run.id)).run.state).toBe("failed");
    for (const run of studio.others)
      expect(["submitted", "running"]).toContain((await stateOf(client, run.id)).state);
    const assets = await allAssets(client);
    expect(assets.map(({ id }) => id)).toContain(studio.upload.id);
    expect(assets.length).toBeGreaterThan(2);
    for (const asset of assets)
      expect(hashOf(await fileOnServer(client, asset.id))).toBe(asset.sha256);
    const picture = assets.find(({ runId }) => runId === studio.ended.id)!;
    const thumb = await fetch(`${client.url}/api/v1/assets/${picture.id}/variants/thumb-320.webp`, {
      headers: { cookie: client.cookie },
    });
    expect(thumb.status).toBe(200);
    // A restored instance works: a stored key opens, and an approved run is made.
    await client.call("approveRun", { params: { runId: studio.queued[0]!.id } });
    expect((await runEnds(client, studio.queued[0]!.id)).run.state).toBe("succeeded");
    expect(postsOf(studio)).toBe(posts + 1);
  });

  it("every ledger row is restored unchanged", async () => {
    const database = await create();
    const studio = await startBusyStudio(database);
    await studio.server.kill9();
    const folder = createTempFolder("backup");
    expect((await backupTo(database, folder, "--with-key")).stdout).toContain("IN this backup");
    const target = await create();
    expect(await restoreTo(target, folder)).toMatchObject({ code: 0 });
    expect(await ledgerOf(target)).toEqual(await ledgerOf(database));
    const [before, after] = [openTestStore(database), openTestStore(target)];
    for (const table of keptTables.filter((one) => one !== "instance")) {
      const rows = await Promise.all(
        [before, after].map((store) => store.read.selectFrom(table).selectAll().execute()),
      );
      const [was, is] = rows.map((some) => some.map((row) => JSON.stringify(row)).sort());
      expect(is, table).toEqual(was);
    }
    for (const table of passingTables)
      expect(await after.read.selectFrom(table).selectAll().execute()).toEqual([]);
  });

  it("holds no secret in clear, and no session", async () => {
    // A signed-out session leaves its row's bytes in a file.
    const tokens = [studio.client.cookie, signedOut.cookie].map(
      (cookie) => decodeURIComponent(cookie.split("=")[1]!).split(".")[0]!,
    );
    const folder = createTempFolder("backup");
    await backupTo(database, folder);
    const masterKey = readFileSync(join(database.dataFolder, "master.key"), "utf8").trim();
    const secrets = [
      studio.fal.key,
      "a-secret-that-is-looked-for",
      studio.openai.key,
      masterKey,
      ...tokens,
      testPassword,
    ];
    const found = filesIn(folder).flatMap((path) => {
      const bytes = readFileSync(path);
      return secrets
        .filter((secret) => bytes.includes(secret))
        .map((secret) => `${secret} in ${path}`);
    });
    expect(found).toEqual([]);
    expect(tokens.every((token) => token.length > 20)).toBe(true);
  });

  it("a backup's key lasts as long as the backup", async () => {
    const folder = createTempFolder("backup");
    const hasKey = () => existsSync(join(folder, "master.key"));
    await backupTo(database, folder, "--with-key");
    await backupTo(database, folder, "--keep", "2");
    expect(hasKey()).toBe(true);
    await backupTo(database, folder, "--keep", "2");
    expect(hasKey()).toBe(false);
  });

  it("a damaged file or table of a backup is named, and nothing is restored", async () => {
    const folder = createTempFolder("backup");
    await backupTo(database, folder, "--with-key");
    damage(blobPath(folder, studio.upload.sha256));
    const target = await create();
    const refused = await restoreTo(target, folder);
    expect(refused).toMatchObject({ code: 1 });
    expect(refused.stdout).toContain(studio.upload.sha256);
    expect(existsSync(join(target.dataFolder, "bottega.db"))).toBe(false);
    const skipped = await restoreTo(target, folder, "--skip-damaged");
    expect(skipped).toMatchObject({ code: 1 });
    expect(skipped.stdout).toContain("Restored");

    // A newer backup into the same folder repairs it.
    expect((await backupTo(database, folder, "--with-key")).stdout).toMatch(/1 copied/);
    const part = filesIn(folder).find((path) => /bottega\.db$|\/run\.ndjson$/.test(path))!;
    damage(part);
    const third = await create();
    const broken = await restoreTo(third, folder);
    expect(broken).toMatchObject({ code: 1 });
    expect(broken.stderr).toContain("This backup is damaged");
  });

  it("a second backup into the same folder copies only new files and drops unneeded ones", async () => {
    const database = await create();
    const client = await setUpServer(await startCopy(database.dataFolder, database.env));
    const bytes = randomBytes(1_000);
    await uploadToServer(client, "first.bin", new Uint8Array(bytes));
    const folder = createTempFolder("backup");
    expect((await backupTo(database, folder)).stdout).toMatch(/1 copied, 0 already there/);
    const kept = statSync(blobPath(folder, hashOf(bytes))).ino;
    // A file that an earlier database needed and this one doesn't.
    const old = randomBytes(100);
    const oldPath = blobPath(folder, hashOf(old));
    mkdirSync(dirname(oldPath), { recursive: true });
    writeFileSync(oldPath, old);
    await uploadToServer(client, "later.bin", new Uint8Array(randomBytes(1_000)));
    expect((await backupTo(database, folder)).stdout).toMatch(/1 copied, 1 already there/);
    expect(statSync(blobPath(folder, hashOf(bytes))).ino).toBe(kept);
    expect(existsSync(oldPath)).toBe(false);
    expect(readdirSync(folder).filter((entry) => entry.startsWith("database-"))).toHaveLength(1);
  });

  it("a file missing from storage is named, and the rest is copied", async () => {
    const path = blobPath(database.dataFolder, studio.upload.sha256);
    const bytes = readFileSync(path);
    rmSync(path);
    onTestFinished(() => writeFileSync(path, bytes));
    const folder = createTempFolder("backup");
    const made = await backupTo(database, folder, "--with-key");
    expect(made).toMatchObject({ code: 1 });
    expect(made.stdout).toContain(
      `MISSING in the storage, and so not in the backup: ${studio.upload.sha256}`,
    );
    const target = await create();
    expect(await restoreTo(target, folder)).toMatchObject({ code: 0 });
  });

  it("without its key everything but the connections' keys is restored", async () => {
    const folder = createTempFolder("backup");
    await backupTo(database, folder);
    const target = await create();
    expect(await restoreTo(target, folder, "--without-key")).toMatchObject({ code: 0 });
    const client = await signInAt(
      await startCopy(target.dataFolder, target.env),
      studio.client.projectId,
    );
    expect((await allAssets(client)).length).toBeGreaterThan(0);
    const run = await makeOnServer(client, studio.models.fal, {
      prompt: "no key",
      image_size: { width: 64, height: 64 },
    });
    expect((await runEnds(client, run.id)).run.state).toBe("failed");
  });

  it("a backup can be restored into the other kind of database", async () => {
    const folder = createTempFolder("backup");
    await backupTo(database, folder, "--with-key");
    const target = await createEmptyDatabase(name === "sqlite" ? "postgres" : "sqlite");
    const restored = await restoreTo(target, folder);
    expect(restored, restored.stderr).toMatchObject({ code: 0 });
    const client = await signInAt(
      await startCopy(target.dataFolder, target.env),
      studio.client.projectId,
    );
    expect((await stateOf(client, studio.queued[0]!.id)).waitingFor).toBe("restore");
    for (const asset of await allAssets(client))
      expect(hashOf(await fileOnServer(client, asset.id))).toBe(asset.sha256);
    const search = await client.call<{ assets: Asset[] }>("listAssets", {
      query: { projectId: client.projectId, q: "finished" },
    });
    expect(search.body.assets).toHaveLength(1);
    const said = await client.call<{ hits: unknown[] }>("searchConversations", {
      query: { projectId: client.projectId, q: "count" },
    });
    expect(said.body.hits).not.toEqual([]);
  });
});

it("files in a bucket are backed up and restored like those in a folder", async () => {
  const [s3, other] = await Promise.all([startS3(), startS3()]);
  onTestFinished(async () => void (await Promise.all([s3.stop(), other.stop()])));
  const envOf = ({ url, accessKeyId, secretAccessKey }: S3Simulator) => ({
    BLOB_URL: url,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
  });
  const database = await createEmptyDatabase("sqlite");
  const server = await startCopy(database.dataFolder, envOf(s3));
  const client = await setUpServer(server);
  const bytes = randomBytes(9_000_000);
  await uploadToServer(client, "large.bin", new Uint8Array(bytes));
  const folder = createTempFolder("backup");
  const made = await runBottega(["backup", folder, "--with-key"], {
    ...database.env,
    ...envOf(s3),
  });
  expect(made, made.stderr).toMatchObject({ code: 0 });
  expect(readFileSync(blobPath(folder, hashOf(bytes))).equals(bytes)).toBe(true);
  const target = await createEmptyDatabase("sqlite");
  const restored = await runBottega(["restore", folder], { ...target.env, ...envOf(other) });
  expect(restored, restored.stderr).toMatchObject({ code: 0 });
  const there = await signInAt(await startCopy(target.dataFolder, envOf(other)), client.projectId);
  const [asset] = await allAssets(there);
  expect(hashOf(await fileOnServer(there, asset!.id))).toBe(hashOf(bytes));
});

it("a failing command reports the reason in a sentence", async () => {
  const database = await createEmptyDatabase("sqlite");
  const nothing = await backupTo(database, createTempFolder("backup"));
  expect(nothing).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("There is no database in"),
  });
  const foreign = createTempFolder("foreign");
  writeFileSync(join(foreign, "letters.txt"), "dear");
  expect(await backupTo(database, foreign)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('holds something else ("letters.txt")'),
  });
  expect(await restoreTo(database, foreign)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("no finished backup"),
  });
  expect(await runBottega(["backup"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("The folder is missing"),
  });
  expect(await runBottega(["doctor", "--with-key"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("does not know --with-key"),
  });
  expect(await runBottega(["help"])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("restore <folder>"),
  });
  const file = join(createTempFolder("file"), "a-file");
  writeFileSync(file, "");
  expect(await backupTo(database, join(file, "below"))).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("not a folder"),
  });
});

it("an interrupted backup doesn't count, and the one before it still does", async () => {
  const database = await createEmptyDatabase("sqlite");
  const studio = await startBusyStudio(database);
  const folder = createTempFolder("backup");
  await backupTo(database, folder, "--with-key");
  // The remains of a second backup that died while copying: a database without a manifest, a
  // half-written file.
  mkdirSync(join(folder, "database-2031-01-01T00-00-00-000Z"));
  appendFileSync(join(folder, "database-2031-01-01T00-00-00-000Z", "bottega.db"), "half");
  const target = await createEmptyDatabase("sqlite");
  expect(await restoreTo(target, folder)).toMatchObject({ code: 0 });
  expect(await backupTo(database, folder, "--with-key")).toMatchObject({ code: 0 });
  expect(readdirSync(folder).filter((entry) => entry.startsWith("database-"))).toHaveLength(1);
  rmSync(join(folder, "manifest.json"));
  expect(await restoreTo(await createEmptyDatabase("sqlite"), folder)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("no finished backup"),
  });
  expect(studio.server.child.exitCode).toBeNull();
});

it("another instance's backup folder is refused, and its key stays", async () => {
  const [own, other] = [await createEmptyDatabase("sqlite"), await createEmptyDatabase("sqlite")];
  for (const { dataFolder } of [own, other]) await (await startCopy(dataFolder)).stop();
  const folder = createTempFolder("backup");
  expect(await backupTo(own, folder, "--with-key")).toMatchObject({ code: 0 });
  const key = readFileSync(join(own.dataFolder, "master.key"), "utf8");
  expect(await backupTo(other, folder, "--with-key")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("another Bottega"),
  });
  expect(readFileSync(join(folder, "master.key"), "utf8")).toBe(key);
});

it("a restore is refused while a server is running there", async () => {
  const database = await createEmptyDatabase("sqlite");
  await startBusyStudio(database);
  const folder = createTempFolder("backup");
  await backupTo(database, folder, "--with-key");
  expect(await restoreTo(database, folder, "--replace")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("already running"),
  });
});
