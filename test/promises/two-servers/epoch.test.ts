import { cpSync } from "node:fs";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { expect, it } from "vitest";
import {
  createTestDatabase,
  forEachDatabase,
  type TestDatabase,
} from "../../support/databases/databases.ts";
import { until } from "../../support/server/instance.ts";
import { runEnds, runOnServer, type ServerClient } from "../../support/server/server-client.ts";
import {
  type BusyStudio,
  postsOf,
  startBusyStudio,
  startCopy,
  stateOf,
} from "../../support/studio/busy-studio.ts";
import { createTempFolder } from "../../support/temp.ts";

/** A copy of a place by `cp -r` or a dump: everything as of one moment. */
async function copyOf(database: TestDatabase): Promise<TestDatabase> {
  const dataFolder = createTempFolder("copy");
  await cp(database.dataFolder, dataFolder, { recursive: true, preserveTimestamps: true });
  if (!database.databaseUrl)
    return { databaseUrl: null, dataFolder, env: { BOTTEGA_DATA: dataFolder } };
  const url = new URL(database.databaseUrl);
  const original = url.pathname.slice(1);
  const admin = new pg.Client({
    connectionString: Object.assign(new URL(url), { pathname: "/postgres" }).href,
  });
  await admin.connect();
  try {
    await admin.query(`create database "${original}_copy" template "${original}"`);
  } finally {
    await admin.end();
  }
  url.pathname = `/${original}_copy`;
  return {
    databaseUrl: url.href,
    dataFolder,
    env: { BOTTEGA_DATA: dataFolder, DATABASE_URL: url.href },
  };
}

const epochLine = /This database was (copied or moved|restored from a backup)/;

/**
 * Waits until an approved run is complete; everything that would have been sent by itself has been
 * sent by then.
 */
async function goesOn(client: ServerClient, runId: string): Promise<void> {
  const approved = await client.call("approveRun", { params: { runId } });
  expect(approved.status).toBe(200);
  await runEnds(client, runId);
}

async function expectNothingByItself(
  studio: BusyStudio,
  client: ServerClient,
  before: number,
): Promise<void> {
  for (const run of studio.queued)
    expect(await stateOf(client, run.id)).toEqual({ state: "queued", waitingFor: "copy" });
  expect(await stateOf(client, studio.sent.id)).toEqual({ state: "unconfirmed", waitingFor: null });
  // An answer can't be looked up, so it has failed, and nothing is left to decide.
  expect((await runEnds(client, studio.talking.run.id)).run).toMatchObject({
    state: "failed",
    error: { code: "provider_interrupted" },
  });
  // A job with a known id is polled, and its result arrives.
  for (const run of [studio.atProvider, ...studio.others])
    expect(["submitted", "running"]).toContain((await stateOf(client, run.id)).state);
  studio.fal.release("at the provider");
  expect((await runEnds(client, studio.atProvider.id)).run.state).toBe("succeeded");
  expect(postsOf(studio)).toBe(before);
}

forEachDatabase((_, create) => {
  it("a copy that is started elsewhere sends nothing by itself until a person approves it", async () => {
    const database = await create();
    const studio = await startBusyStudio(database);
    // PostgreSQL doesn't copy a database in use.
    await studio.server.kill9();
    const copy = await copyOf(database);
    const before = postsOf(studio);
    const server = await startCopy(copy.dataFolder, copy.env);
    expect(server.output()).toMatch(epochLine);
    const client = studio.client.at(server.url);
    await expectNothingByItself(studio, client, before);

    const [first, second] = studio.queued;
    await goesOn(client, first!.id);
    expect(postsOf(studio)).toBe(before + 1);
    expect(await stateOf(client, second!.id)).toEqual({ state: "queued", waitingFor: "copy" });
    expect((await client.call("approveRun", { params: { runId: first!.id } })).status).toBe(409);
    // Only once: at its own next start the copy owns its files.
    await server.stop();
    const again = await startCopy(copy.dataFolder, copy.env);
    expect(again.output()).not.toMatch(epochLine);
    const there = client.at(again.url);
    expect(await stateOf(there, second!.id)).toEqual({ state: "queued", waitingFor: "copy" });
    const all = await there.call<{ approved: number }>("approveRuns", {
      body: { projectId: there.projectId, waitingFor: "copy" },
    });
    expect(all.body).toEqual({ approved: 1 });
    expect((await runEnds(there, second!.id)).run.state).toBe("succeeded");
    expect(postsOf(studio)).toBe(before + 2);
  });

  it("an answer in progress in the original fails in a copy, with its text so far", async () => {
    const database = await create();
    const studio = await startBusyStudio(database);
    await studio.server.kill9();
    const copy = await copyOf(database);
    const client = studio.client.at((await startCopy(copy.dataFolder, copy.env)).url);
    const { run, conversationId, answer } = studio.talking;
    expect((await runEnds(client, run.id)).run).toMatchObject({
      state: "failed",
      error: { code: "provider_interrupted" },
    });
    const shown = await client.call<{ messages: { id: string; parts: { text: string }[] }[] }>(
      "getConversation",
      {
        params: { conversationId },
      },
    );
    expect(shown.body.messages.find(({ id }) => id === answer.id)?.parts[0]?.text).toMatch(/^one/);
  });

  it("the same place is the same epoch after a clean stop and after kill -9", async () => {
    const database = await create();
    const studio = await startBusyStudio(database);
    await studio.server.kill9();
    const before = await startCopy(database.dataFolder, database.env);
    await before.stop();
    const server = await startCopy(database.dataFolder, database.env);
    for (const start of [before, server]) expect(start.output()).not.toMatch(epochLine);
    const client = studio.client.at(server.url);
    expect((await runOnServer(client, studio.queued[0]!.id)).run.waitingFor).toBeNull();
    for (let n = 2; n < 4; n++) studio.fal.release(`another ${n}`);
    studio.fal.release("at the provider");
    await until(
      "what was queued is made",
      async () => (await runOnServer(client, studio.queued[1]!.id)).run.state === "succeeded",
    );
  });
});

it("an older copy of the database, restored into its own folder, starts a new epoch", async () => {
  const database = await createTestDatabase("sqlite");
  const studio = await startBusyStudio(database);
  const kept = createTempFolder("kept");
  await studio.server.kill9();
  cpSync(database.dataFolder, kept, { recursive: true });
  await (await startCopy(database.dataFolder)).stop();
  // Restored over the file, which keeps its inode and its time of creation.
  for (const file of ["bottega.db", "bottega.db-wal", "bottega.db-shm"])
    cpSync(join(kept, file), join(database.dataFolder, file), { force: true });
  const again = await startCopy(database.dataFolder);
  expect(again.output()).toMatch(epochLine);
  expect(await stateOf(studio.client.at(again.url), studio.queued[0]!.id)).toEqual({
    state: "queued",
    waitingFor: "restore",
  });
});
