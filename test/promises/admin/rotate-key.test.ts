import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { createSecrets } from "#engine/connections/secrets.ts";
import { listSealedSecrets } from "#store/checks/sealed-secrets.ts";
import { startOpenAiCompatible } from "../../simulators/openai-compatible.ts";
import {
  createEmptyDatabase,
  forEachEmptyDatabase,
  type TestDatabase,
} from "../../support/databases/databases.ts";
import { openTestStore } from "../../support/databases/test-store.ts";
import { oneKey } from "../../support/one-key.ts";
import { patienceMs } from "../../support/patience.ts";
import { runBottega, runBottegaHere } from "../../support/server/run-command.ts";
import { connectKind, type ServerClient, setUpServer } from "../../support/server/server-client.ts";
import { startServer } from "../../support/server/server-process.ts";
import { startCopy } from "../../support/studio/busy-studio.ts";
import { createTempFolder } from "../../support/temp.ts";

const rotate = (database: TestDatabase, ...flags: string[]) =>
  runBottegaHere(["rotate-key", ...flags], database.env);
const keyFileOf = (database: TestDatabase) => join(database.dataFolder, "master.key");
const sealedIn = async (database: TestDatabase) =>
  (await listSealedSecrets(openTestStore(database).read)).map(({ sealed }) => sealed);
const versionsIn = async (database: TestDatabase): Promise<number[]> =>
  [...new Set((await sealedIn(database)).map((sealed) => Number(sealed.split(".")[1])))].sort();

/** The changes of the key in the audit log, which no person made. */
const keyChangesIn = async (database: TestDatabase): Promise<string[]> => {
  const { read } = openTestStore(database);
  const rows = await read
    .selectFrom("audit_event")
    .select("action")
    .where("actor_id", "is", null)
    .orderBy("id")
    .execute();
  return rows.map(({ action }) => action);
};

/** A real server with secrets in every place that the provider's answers depend on. */
async function open(database: TestDatabase) {
  const openai = await startOpenAiCompatible();
  onTestFinished(() => openai.stop());
  const server = await startCopy(database.dataFolder, database.env);
  const client = await setUpServer(server);
  const connect = () =>
    connectKind(client, "openai-compatible", { api: openai.url, key: openai.key });
  const connectionId = await connect();
  for (const host of ["one", "two"])
    await client.call("addWebhook", { body: { url: `https://${host}.example.org` } });
  const works = async (at: ServerClient = client, id = connectionId) =>
    (await at.call("checkConnection", { params: { connectionId: id } })).body;
  return { server, client, connect, works };
}

forEachEmptyDatabase((_, create) => {
  it("the master key is rotated while the server runs, and the old version is retired after", async () => {
    const database = await create();
    const { server, client, connect, works } = await open(database);
    const first = readFileSync(keyFileOf(database), "utf8").trim();
    const before = await sealedIn(database);
    expect(before).toHaveLength(3);
    const done = await rotate(database);
    expect(done).toMatchObject({ code: 0, stderr: "" });
    expect(done.stdout).toContain("3 secrets were wrapped with version 2");
    expect(done.stdout).toContain(
      "run bottega rotate-key --retire. If the old key leaked, do this now",
    );
    const [second, kept] = readFileSync(keyFileOf(database), "utf8").trim().split("\n");
    expect(second).toMatch(/^2:[0-9a-f]{64}$/);
    expect(kept).toBe(`1:${first}`);
    expect(await versionsIn(database)).toEqual([2]);
    // The leaked key opens none of them; the secrets themselves are unchanged.
    const leaked = createSecrets(oneKey(Buffer.from(first, "hex"), 2));
    const after = await sealedIn(database);
    for (const sealed of after)
      expect(() => leaked.open(sealed, { table: "connection", rowId: "", owner: "" })).toThrow();
    expect(after.map((sealed) => sealed.split(".")[3])).toEqual(
      before.map((sealed) => sealed.split(".")[3]),
    );
    expect(await works()).toMatchObject({ connection: { status: "ok" } });
    const later = await connect();
    expect(await versionsIn(database)).toEqual([2]);
    expect(await works(client, later)).toMatchObject({ connection: { status: "ok" } });
    expect((await client.call("getSession")).body).toMatchObject({ me: { user: { name: "Ada" } } });
    const told = await runBottegaHere(["doctor"], database.env);
    expect(told.stdout).toContain("Nothing needs version 1 of the master key any more");
    expect(await rotate(database, "--retire")).toMatchObject({ code: 0 });
    expect(readFileSync(keyFileOf(database), "utf8").trim()).toBe(second);
    expect(await keyChangesIn(database)).toEqual(["rotate-master-key", "retire-master-key"]);
    await vi.waitFor(async () => expect((await client.call("getMe")).status).toBe(401), {
      timeout: patienceMs,
      interval: 250,
    });
    await server.kill9();
    const again = await startCopy(database.dataFolder, database.env);
    expect((await fetch(`${again.url}/readyz`)).status).toBe(200);
    expect((await runBottegaHere(["doctor"], database.env)).code).toBe(0);
  });

  it("a rotation killed at any step loses no secret and continues when run again", async () => {
    const database = await create();
    const { works } = await open(database);
    let version = 1;
    for (const point of ["key.written", "key.activated", "key.rewrapped"]) {
      const env = { ...database.env, BOTTEGA_FAILPOINTS: `${point}=kill` };
      const killed = await runBottega(["rotate-key"], env);
      expect(killed.stderr).toContain(`failpoint ${point}: kill`);
      expect(await works()).toMatchObject({ connection: { status: "ok" } });
      expect(await rotate(database)).toMatchObject({ code: 0, stderr: "" });
      // A rotation cut off after its last secret is complete, so the next one is a new version.
      version = Math.max(...(await versionsIn(database)));
      expect(await versionsIn(database)).toEqual([version]);
      expect(await works()).toMatchObject({ connection: { status: "ok" } });
    }
    expect(version).toBeGreaterThanOrEqual(4);
    expect(await rotate(database, "--retire")).toMatchObject({ code: 0 });
    expect(await works()).toMatchObject({ connection: { status: "ok" } });
  });
});

it("nothing is sealed with a version that one of several servers doesn't know", async () => {
  const database = await createEmptyDatabase("postgres");
  const { works } = await open(database);
  const dataFolder = createTempFolder("second");
  const other = { ...database, dataFolder };
  writeFileSync(keyFileOf(other), readFileSync(keyFileOf(database)));
  const second = await startServer({
    dataFolder,
    env: { ...database.env, BOTTEGA_DATA: dataFolder },
  });
  onTestFinished(() => second.kill9());
  const refused = await rotate(database);
  expect(refused.code).toBe(1);
  expect(refused.stdout).toContain("Nothing uses version 2 yet");
  expect(await versionsIn(database)).toEqual([1]);
  copyFileSync(keyFileOf(database), keyFileOf(other));
  expect(await rotate(database)).toMatchObject({ code: 0 });
  expect(await versionsIn(database)).toEqual([2]);
  expect(await works()).toMatchObject({ connection: { status: "ok" } });
});

it("a key from the environment gets its new version from its operator, step by step", async () => {
  const database = await createEmptyDatabase("sqlite");
  const key = "5f".repeat(32);
  const withKey = (text: string) => ({ ...database.env, BOTTEGA_MASTER_KEY: text });
  const server = await startCopy(database.dataFolder, { BOTTEGA_MASTER_KEY: key });
  const client = await setUpServer(server);
  await client.call("addWebhook", { body: { url: "https://one.example.org" } });
  const first = await runBottegaHere(["rotate-key"], withKey(key));
  expect(first.code).toBe(1);
  const both = first.stdout.trim().split("\n").at(-1)!;
  expect(both).toMatch(new RegExp(`^2:[0-9a-f]{64},1:${key}$`));
  await server.stop("SIGTERM");
  const next = await startCopy(database.dataFolder, { BOTTEGA_MASTER_KEY: both });
  expect(await runBottegaHere(["rotate-key"], withKey(both))).toMatchObject({ code: 0 });
  const last = await runBottegaHere(["rotate-key", "--retire"], withKey(both));
  const alone = last.stdout.trim().split("\n").at(-1)!;
  expect(both.split(",")[0]).toBe(alone);
  await next.stop("SIGTERM");
  const digits = alone.split(":")[1]!;
  expect(await keyChangesIn(database)).toEqual(["rotate-master-key"]);
  const again = await startCopy(database.dataFolder, { BOTTEGA_MASTER_KEY: digits });
  expect((await fetch(`${again.url}/readyz`)).status).toBe(200);
  const retired = ["rotate-master-key", "retire-master-key"];
  expect(await keyChangesIn(database)).toEqual(retired);
  await again.stop("SIGTERM");
  await startCopy(database.dataFolder, { BOTTEGA_MASTER_KEY: digits });
  expect(await keyChangesIn(database)).toEqual(retired);
  expect((await runBottegaHere(["doctor"], withKey(digits))).code).toBe(0);
});
