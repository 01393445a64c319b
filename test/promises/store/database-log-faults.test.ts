import { spawn } from "node:child_process";
import { once } from "node:events";
import { statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { Message } from "#contract/entities.ts";
import { startFal } from "../../simulators/fal.ts";
import { startOpenAiCompatible } from "../../simulators/openai-compatible.ts";
import { createEmptyDatabase } from "../../support/databases/databases.ts";
import { limitFiles, openSmallDisk, withFilesUpTo } from "../../support/databases/small-disk.ts";
import { until } from "../../support/server/instance.ts";
import { runBottega } from "../../support/server/run-command.ts";
import {
  askServer,
  connectKind,
  makeOnServer,
  runEnds,
  runOnServer,
  type ServerClient,
  setUpServer,
  shownText,
  watchRun,
} from "../../support/server/server-client.ts";
import { startServer } from "../../support/server/server-process.ts";
import { textOfMessage } from "../../support/studio/studio.ts";

type Fault = "is full" | "fails";
/**
 * More than a full tmpfs on an older kernel may still accept, because it counts its pages per
 * processor.
 */
const words = Array.from({ length: 200 }, (_, i) => ` ${i} ${"x".repeat(5_000)}`);
const picture = { image_size: { width: 64, height: 64 } };

/** Empties the log, and keeps reading until its standard input ends. */
const reader = `
  const db = new (require("node:sqlite").DatabaseSync)(process.argv[1], { timeout: 10_000 });
  while (db.prepare("pragma wal_checkpoint(truncate)").get().busy);
  db.exec("begin");
  db.prepare("select count(*) from sqlite_schema").get();
  console.log("reads");
  process.stdin.resume().on("end", () => process.exit());`;

/**
 * Leaves no room in the log. After a complete checkpoint the writer restarts the log, and whatever
 * fits into the old one needs no disk space; a reader prevents the restart.
 * @returns a function that releases the log
 */
async function holdLog(file: string, inside: readonly string[]): Promise<() => Promise<void>> {
  const [command = "", ...rest] = [...inside, process.execPath, "-e", reader, file];
  const child = spawn(command, rest, { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const ended = once(child, "close");
  await Promise.race([
    once(child.stdout, "data"),
    ended.then(() => Promise.reject(new Error("nobody reads the log"))),
  ]);
  return async () => {
    child.stdin.end();
    await ended;
  };
}

/**
 * A real server on SQLite whose write-ahead log can't grow between `breakDisk` and `mendDisk`;
 * everything else in its data folder can.
 */
async function startScene(fault: Fault) {
  const database = await createEmptyDatabase("sqlite");
  const file = join(database.dataFolder, "bottega.db");
  const disk = fault === "is full" ? await openSmallDisk(64 * 1024 ** 2) : undefined;
  // SQLite puts the log next to the file that the link points to.
  if (disk) symlinkSync(join(disk.folder, "bottega.db"), file);
  const inside = disk?.inside ?? [];
  const [openai, fal] = await Promise.all([startOpenAiCompatible(), startFal()]);
  onTestFinished(async () => void (await Promise.all([openai.stop(), fal.stop()])));
  const server = await startServer({ dataFolder: database.dataFolder, env: database.env, inside });
  onTestFinished(() => server.kill9());
  const client = await setUpServer(server);
  const openaiId = await connectKind(client, "openai-compatible", {
    api: openai.url,
    key: openai.key,
    models: JSON.stringify([{ id: "sim-image", task: "image" }]),
  });
  const models = {
    chat: { connectionId: openaiId, modelId: "sim-chat" },
    image: { connectionId: openaiId, modelId: "sim-image" },
    fal: { connectionId: await connectKind(client, "fal", fal.values), modelId: "sim/flux/dev" },
  };
  let letGo = async () => {};
  /** All other files that the server writes are smaller than this log. */
  async function limitToLog(): Promise<void> {
    while (statSync(`${file}-wal`).size < 100_000) await newConversation(client);
    limitFiles(server.child.pid!, statSync(`${file}-wal`).size);
  }
  return {
    openai,
    fal,
    server,
    client,
    models,
    async breakDisk(): Promise<void> {
      letGo = await holdLog(file, inside);
      if (disk) disk.fill();
      else await limitToLog();
    },
    async mendDisk(): Promise<void> {
      if (disk) disk.free();
      else limitFiles(server.child.pid!, undefined);
      await letGo();
    },
    doctor: () => runBottega(["doctor", "--deep"], database.env, inside),
    refusal: disk
      ? { status: 507, body: { code: "storage_full", detail: "The server’s disk is full." } }
      : {
          status: 503,
          body: {
            code: "unavailable",
            detail: "The database of this server does not answer.",
          },
        },
  };
}

const newConversation = async ({ projectId, call }: ServerClient) =>
  (await call<{ conversation: { id: string } }>("createConversation", { body: { projectId } })).body
    .conversation.id;
const messagesOf = async ({ call }: ServerClient, conversationId: string) =>
  (await call<{ messages: Message[] }>("getConversation", { params: { conversationId } })).body
    .messages;

it.each<Fault>(["is full", "fails"])(
  "a disk that %s under SQLite's log: paid results are retried and sent once, callers are told, and it continues by itself",
  async (fault) => {
    const { openai, fal, server, client, models, breakDisk, mendDisk, doctor, refusal } =
      await startScene(fault);
    openai.script({ text: words, gate: { name: "stream", at: 1 } });
    const stream = await askServer(client, models.chat, "many words");
    const watch = watchRun(client, stream.run.id);
    onTestFinished(watch.stop);
    await openai.reached("stream");
    openai.script({ gate: { name: "picture", at: "head" } });
    const answer = await makeOnServer(client, models.image, { prompt: "as an answer" });
    await openai.reached("picture");
    const job = await makeOnServer(client, models.fal, {
      prompt: "under way [sim:hold]",
      ...picture,
    });
    await until(
      "the job is at its provider",
      async () => (await runOnServer(client, job.id)).attempts[0]?.providerRequestId,
    );
    const conversationId = await newConversation(client);

    await breakDisk();
    openai.open("stream");
    openai.open("picture");
    fal.release("under way");
    await until("the answers have left their provider", async () =>
      openai.posts.every(({ state }) => state === "answered"),
    );
    const tries = async () => server.output().split("trying again").length > 3;
    await until("what must not be lost is tried again", tries);
    const typed = {
      params: { conversationId },
      body: { parentId: null, text: "typed meanwhile", ask: { model: models.chat } },
    };
    const make = {
      body: {
        projectId: client.projectId,
        models: [models.fal],
        task: "image",
        input: { prompt: "meanwhile", ...picture },
      },
    };
    expect([
      await client.call("sendMessage", typed),
      await client.call("createRuns", make),
    ]).toMatchObject([refusal, refusal]);
    for (const { id } of [stream.run, answer, job])
      expect((await runOnServer(client, id)).run).toMatchObject({ finishedAt: null });
    expect(
      await messagesOf(client, conversationId),
      "reading goes on, and nothing is half there",
    ).toEqual([]);

    await mendDisk();
    for (const { id } of [stream.run, answer, job])
      expect(await runEnds(client, id)).toMatchObject({
        run: { state: "succeeded", heldMicros: 0 },
        attempts: [{ number: 1 }],
      });
    await watch.ended;
    expect(shownText(watch.events as never)).toBe(words.join(""));
    const stored = watch.events.filter(({ id }) => !Number.isNaN(id));
    expect(stored.map(({ id }) => id)).toEqual(stored.map((_, i) => i + 1));
    const [, said] = await messagesOf(client, stream.conversationId);
    expect(said && textOfMessage(said)).toBe(words.join(""));
    for (const { id } of [answer, job])
      expect((await runOnServer(client, id)).assets).toHaveLength(1);
    expect(openai.posts).toHaveLength(2);
    expect(fal.ledger.posts).toHaveLength(1);
    openai.script({ text: "afterwards" });
    expect((await client.call("sendMessage", typed)).status).toBe(200);
    expect((await client.call("createRuns", make)).status).toBe(200);
    await until("these are made too", async () => {
      const { body } = await client.call<{ runs: { state: string }[] }>("listRuns", {
        query: { projectId: client.projectId },
      });
      return body.runs.length === 5 && body.runs.every(({ state }) => state === "succeeded");
    });
    expect(await doctor()).toMatchObject({ code: 0 });
  },
);

it("a server started on a full disk says so in a sentence, and starts once there is room", async () => {
  const { dataFolder, env } = await createEmptyDatabase("sqlite");
  const disk = await openSmallDisk(64 * 1024 ** 2);
  if (disk) symlinkSync(join(disk.folder, "bottega.db"), join(dataFolder, "bottega.db"));
  disk?.fill();
  const words = `The database in ${dataFolder} can't be used (${disk ? "database or disk is full" : "disk I/O error"}). See that its disk has room`;
  await expect(
    startServer({ dataFolder, env, inside: disk?.inside ?? withFilesUpTo(16 * 1024) }),
  ).rejects.toThrow(words);
  disk?.free();
  const server = await startServer({ dataFolder, env, inside: disk?.inside ?? [] });
  onTestFinished(() => server.kill9());
  expect(server.setupLink).toContain("/setup#code=");
});
