import { createHash } from "node:crypto";
import pg from "pg";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { type FalSimulator, startFal } from "../simulators/fal.ts";
import { type OpenAiCompatible, startOpenAiCompatible } from "../simulators/openai-compatible.ts";
import { type S3Simulator, startS3 } from "../simulators/s3.ts";
import { createPostgresDatabase } from "../support/databases.ts";
import { until } from "../support/instance.ts";
import { openLive } from "../support/live-socket.ts";
import {
  askServer,
  connectKind,
  fileOnServer,
  makeOnServer,
  runEnds,
  runOnServer,
  type ServerClient,
  setUpServer,
  shownText,
  uploadToServer,
  watchRun,
} from "../support/server-client.ts";
import { type ServerProcess, startServer } from "../support/server-process.ts";
import { textOfEvents } from "../support/studio.ts";
import { createTempFolder } from "../support/temp.ts";

/** 15 s by reliability.md, and room for a busy machine. */
const boundMs = 20_000;
const masterKey = "5f".repeat(32);
const hashOf = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

let s3: S3Simulator;
let openai: OpenAiCompatible;
let fal: FalSimulator;
let databaseUrl: string;
let first: ServerProcess;
let second: ServerProcess;
/** The same session at either server. */
let here: ServerClient;
let there: ServerClient;
let chat: { connectionId: string; modelId: string };
let flux: { connectionId: string; modelId: string };

const start = (): Promise<ServerProcess> =>
  startServer({
    dataFolder: createTempFolder("server"),
    env: {
      DATABASE_URL: databaseUrl,
      BLOB_URL: s3.url,
      AWS_ACCESS_KEY_ID: s3.accessKeyId,
      AWS_SECRET_ACCESS_KEY: s3.secretAccessKey,
      BOTTEGA_MASTER_KEY: masterKey,
    },
  });

beforeAll(async () => {
  [s3, openai, fal, databaseUrl] = await Promise.all([
    startS3(),
    startOpenAiCompatible(),
    startFal({ pace: { by: "time", stepMs: 30 } }),
    createPostgresDatabase(),
  ]);
  first = await start();
  here = await setUpServer(first);
  chat = { connectionId: await connectKind(here, "openai-compatible", { api: openai.url, key: openai.key }), modelId: "sim-chat" };
  flux = { connectionId: await connectKind(here, "fal", fal.values), modelId: "sim/flux/dev" };
  second = await start();
  there = here.at(second.url);
});
afterAll(async () => {
  await Promise.all([first?.kill9(), second?.kill9()]);
  await Promise.all([s3?.stop(), openai?.stop(), fal?.stop()]);
});

const draw = (client: ServerClient, prompt: string) => makeOnServer(client, flux, { prompt, image_size: { width: 64, height: 64 } });
async function query<T>(text: string, values: unknown[] = []): Promise<T[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return (await client.query(text, values)).rows as T[];
  } finally {
    await client.end();
  }
}
const ownerOf = async (runId: string) =>
  (await query<{ worker_id: string | null }>("select worker_id from run where id = $1", [runId]))[0]?.worker_id;

/** A run, and the worker that has claimed it. */
async function claimed(made: Promise<{ id: string }>): Promise<{ id: string; owner: string }> {
  const run = await made;
  const owner = await until("a server has claimed it", () => ownerOf(run.id).then((id) => id ?? undefined));
  return { id: run.id, owner };
}

it("both servers execute runs, no run is executed twice, and each one's files are read through the other", async () => {
  const prompts = Array.from({ length: 12 }, (_, i) => `both ${i} [sim:hold]`);
  const runs = await Promise.all(prompts.map((prompt, i) => draw(i % 2 ? here : there, prompt)));
  const owners = new Set<string>();
  const done = await until("all are made", async () => {
    for (const { id } of runs) {
      const owner = await ownerOf(id);
      if (owner) owners.add(owner);
    }
    fal.release("both");
    const details = await Promise.all(runs.map((run) => runOnServer(here, run.id)));
    return details.every((detail) => detail.run.state === "succeeded") && details;
  });
  expect(owners.size).toBe(2);
  for (const prompt of prompts) expect(fal.ledger.postsOf(prompt)).toBe(1);
  for (const { assets } of done) {
    expect(hashOf(await fileOnServer(here, assets[0]!.id))).toBe(assets[0]!.sha256);
    expect(hashOf(await fileOnServer(there, assets[0]!.id))).toBe(assets[0]!.sha256);
  }
  const bytes = new Uint8Array(Buffer.from("kept at one, read at the other"));
  const upload = await uploadToServer(here, "note.txt", bytes);
  expect(hashOf(await fileOnServer(there, upload.id))).toBe(hashOf(bytes));
});

it("an answer that streams at one server is watched live through the other, word by word", async () => {
  openai.script({ text: "one two three four", gate: { name: "third", at: 2 } });
  const { run } = await askServer(here, chat, "count for the other");
  const sockets = await Promise.all([openLive(here.url, here.cookie), openLive(there.url, there.cookie)]);
  for (const socket of sockets) {
    onTestFinished(socket.drop);
    socket.subscribe(`run:${run.id}`, 0);
  }
  await openai.reached("third");
  for (const socket of sockets) await until("two words are shown", async () => textOfEvents(socket.events(run.id)) === "one two");
  openai.open("third");
  for (const socket of sockets) await until("the end is shown", async () => socket.events(run.id).at(-1)?.type === "run-settled");
  expect(sockets[0]!.events(run.id)).toEqual(sockets[1]!.events(run.id));
  expect(textOfEvents(sockets[0]!.events(run.id))).toBe("one two three four");
});

it("a cancel asked for at either server stops a run whoever executes it", async () => {
  for (const [i, client] of [here, there].entries()) {
    openai.script({ text: "one two three", gate: { name: `cancel ${i}`, at: 1 } });
    const { run } = await askServer(here, chat, `stop me ${i}`);
    await openai.reached(`cancel ${i}`);
    expect((await client.call("cancelRun", { params: { runId: run.id } })).status).toBe(200);
    expect((await runEnds(here, run.id)).run.state).toBe("cancelled");
    await until("the provider sees that we left", async () => openai.posts.at(-1)?.state === "client-left");
    openai.open(`cancel ${i}`);
  }
});

it("what a killed server held is taken over by the other one: jobs go on, answers keep their text, nothing is sent again", async () => {
  const jobs = await Promise.all(Array.from({ length: 6 }, (_, i) => claimed(draw(here, `taken ${i} [sim:hold]`))));
  openai.script({ text: "one two three", gate: { name: "never", at: 2 } });
  const asked = await askServer(here, chat, "cut off");
  await openai.reached("never");
  const victim = (await ownerOf(asked.run.id))!;
  const workers = await query<{ id: string; boot_id: string }>("select id from worker order by started_at");
  const [dying, living] = workers[0]!.id === victim ? [first, there] : [second, here];
  const orphans = jobs.filter((job) => job.owner === victim);
  await until(
    "all of its jobs are at the provider",
    async () => fal.ledger.posts.filter((post) => post.prompt.startsWith("taken")).length === 6,
  );
  await until("all have been accepted", async () =>
    (await Promise.all(jobs.map((job) => runOnServer(living, job.id)))).every(
      ({ run }) => run.state === "submitted" || run.state === "running",
    ),
  );
  const watch = watchRun(living, asked.run.id);
  onTestFinished(watch.stop);
  await until("two words are shown", async () => shownText(watch.events) === "one two");
  await dying.kill9();
  await until(
    "every orphan has an owner that lives",
    async () => {
      const owners = await Promise.all([...orphans.map((job) => ownerOf(job.id)), ownerOf(asked.run.id)]);
      return owners.every((owner) => owner !== victim);
    },
    boundMs,
  );
  fal.release("taken");
  for (const job of jobs) expect((await runEnds(living, job.id)).run.state).toBe("succeeded");
  const cut = await runEnds(living, asked.run.id);
  expect(cut.run).toMatchObject({ state: "failed", error: { code: "provider_interrupted" } });
  await until("the end is shown", async () => watch.events.at(-1)?.type === "run-settled");
  expect(shownText(watch.events)).toBe("one two");
  for (let i = 0; i < 6; i++) expect(fal.ledger.postsOf(`taken ${i} [sim:hold]`)).toBe(1);
  expect(openai.posts.filter((post) => JSON.stringify(post.body).includes("cut off"))).toHaveLength(1);
});
