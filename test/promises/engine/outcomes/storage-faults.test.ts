import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "kysely";
import { expect, it, onTestFinished } from "vitest";
import type { BlobStore } from "#blobs/blob-store.ts";
import { openDiskStore } from "#blobs/disk.ts";
import { openS3Store } from "#blobs/s3.ts";
import { parseS3Url } from "#blobs/s3-location.ts";
import { startS3 } from "../../../simulators/s3/s3.ts";
import {
  createTestDatabase,
  onSqlite,
  type TestDatabase,
} from "../../../support/databases/databases.ts";
import { until } from "../../../support/server/instance.ts";
import { createStudio, type Studio, textOfMessage } from "../../../support/studio/studio.ts";

type Fault =
  | "a full disk"
  | "a disk whose fsync fails"
  | "a bucket that answers 500"
  | "a full bucket"
  | "a bucket whose answers get lost";
type FaultyStore = { blobs: BlobStore; mend(): void; tries(): number };

/** The real stores over a disk or a bucket that fails until it is repaired. */
async function openFaulty(fault: Fault, { dataFolder }: TestDatabase): Promise<FaultyStore> {
  let isFailing = true;
  let tries = 0;
  const mend = (): void => {
    isFailing = false;
  };
  if (fault === "a full disk" || fault === "a disk whose fsync fails") {
    async function openTemp(path: string): Promise<FileHandle> {
      if (!isFailing) return open(path, "wx", 0o600);
      tries++;
      // Each write to it fails with ENOSPC.
      if (fault === "a full disk") return open("/dev/full", "w");
      const handle = await open(path, "wx", 0o600);
      handle.sync = () =>
        Promise.reject(Object.assign(new Error("EIO: i/o error, fsync"), { code: "EIO" }));
      return handle;
    }
    return {
      blobs: openDiskStore({ folder: join(dataFolder, "blobs"), openTemp }),
      mend,
      tries: () => tries,
    };
  }
  const s3 = await startS3();
  onTestFinished(() => s3.stop());
  const mode = fault === "a bucket whose answers get lost" ? "lost-reply" : "refuse";
  const answer =
    fault === "a full bucket" ? { status: 507, code: "XMinioStorageFull" } : { status: 500 };
  if (mode === "lost-reply")
    for (const operation of ["PutObject", "HeadObject"] as const)
      s3.failNext({ operation, mode, times: 12 });
  const fetch: typeof globalThis.fetch = (input, init) => {
    if (init?.method === "PUT" && isFailing) {
      tries++;
      if (mode === "refuse") s3.failNext({ operation: "PutObject", mode, ...answer });
    }
    return globalThis.fetch(input, init);
  };
  const location = parseS3Url(s3.url, {
    AWS_ACCESS_KEY_ID: s3.accessKeyId,
    AWS_SECRET_ACCESS_KEY: s3.secretAccessKey,
  });
  return {
    blobs: openS3Store({
      location,
      spoolFolder: join(dataFolder, "spool"),
      fetch,
      retryDelaysMs: [1],
    }),
    mend,
    tries: () => tries,
  };
}

/** One picture from a queue, and one answered directly. */
async function makeBoth(studio: Studio) {
  const job = await studio.make("of a queue");
  const answer = await studio.make("as an answer", { model: studio.models.openaiImage });
  return [job.id, answer.id];
}

async function expectWhole(studio: Studio, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    const run = await studio.ended(id);
    expect(run).toMatchObject({ state: "succeeded", attempts: 1, heldMicros: 0, warnings: [] });
    const [asset, ...more] = await studio.assetsOf(id);
    expect(more).toEqual([]);
    expect(await studio.bytesOf(asset!.sha256)).toHaveLength(asset!.bytes);
    expect((await studio.ledgerOf(id)).filter((entry) => entry.settlement !== null).length).toBe(
      run.costMicros === null ? 0 : 1,
    );
  }
  expect(studio.fal.ledger.postsOf("of a queue")).toBe(1);
  expect(studio.openai.posts).toHaveLength(1);
}

/** The answers to new work and new files; reading still works. */
async function askForMore({ person, models, startConversation }: Studio) {
  const { projectId } = person;
  const input = { prompt: "one more", image_size: { width: 64, height: 64 } };
  const conversationId = await startConversation();
  const answers = [
    await person.call("createRuns", {
      body: { projectId, models: [models.fal], task: "image", input },
    }),
    await person.call("sendMessage", {
      params: { conversationId },
      body: { parentId: null, text: "hello", ask: { model: models.openai } },
    }),
  ];
  expect((await person.call("listRuns", { query: { projectId } })).status).toBe(200);
  return answers.map(({ status, body }) => [status, body.code]);
}

const faults: [fault: Fault, refusal: [status: number, code: string]][] = [
  ["a full disk", [507, "storage_full"]],
  ["a disk whose fsync fails", [503, "unavailable"]],
  ["a bucket that answers 500", [503, "unavailable"]],
  ["a full bucket", [507, "storage_full"]],
];

onSqlite((create) => {
  it.each(faults)(
    "%s: paid results are retried until they are stored, new work is refused meanwhile, and then everything continues by itself",
    async (fault, refusal) => {
      const database = await create();
      const { blobs, mend, tries } = await openFaulty(fault, database);
      const studio = await createStudio(database, {
        endsWithTest: true,
        instance: { blobs, outputRetryMs: [20] },
      });
      const ids = await makeBoth(studio);
      for (const id of ids) await studio.inState(id, "storing");
      await until("both were tried several times", async () => tries() > 8);
      expect(await askForMore(studio)).toEqual([refusal, refusal]);
      const upload = await studio.instance.request(
        `/api/v1/uploads?projectId=${studio.person.projectId}&name=a.txt`,
        {
          method: "POST",
          headers: { cookie: studio.person.cookie },
          body: "a file",
        },
      );
      expect([upload.status, ((await upload.json()) as { code: string }).code]).toEqual(refusal);
      for (const id of ids) expect((await studio.runOf(id)).state).toBe("storing");
      mend();
      await expectWhole(studio, ids);
      expect((await askForMore(studio)).map(([status]) => status)).toEqual([200, 200]);
    },
  );

  it("a bucket whose answers get lost has stored its files: they are stored once, and requested only once", async () => {
    const database = await create();
    const { blobs } = await openFaulty("a bucket whose answers get lost", database);
    const studio = await createStudio(database, {
      endsWithTest: true,
      instance: { blobs, outputRetryMs: [20] },
    });
    await expectWhole(studio, await makeBoth(studio));
  });

  it("below the free space floor new work and files are refused, even free ones; current work ends, and text is accepted", async () => {
    const studio = await createStudio(await create(), { endsWithTest: true });
    studio.openai.script({ text: "one two three", gate: { name: "stream", at: 1 } });
    const stream = await studio.ask("before it was full");
    await studio.openai.reached("stream");
    const job = await studio.make("under way [sim:hold]");
    await studio.inState(job.id, "running");
    const { engineDeps, request } = studio.instance;
    let freeBytes = 512 * 1024 ** 2 - 1;
    engineDeps.freeBytes = async () => freeBytes;
    const { projectId, cookie } = studio.person;
    const upload = async (bytes: number) =>
      (
        await request(`/api/v1/uploads?projectId=${projectId}&name=a.bin`, {
          method: "POST",
          headers: { cookie },
          body: Buffer.alloc(bytes, 1),
        })
      ).status;
    expect(await askForMore(studio)).toEqual([
      [507, "storage_full"],
      [507, "storage_full"],
    ]);
    await expect(studio.ask("a free model", "ollama")).rejects.toMatchObject({
      code: "storage_full",
    });
    expect(await upload(10)).toBe(507);
    const said = {
      params: { conversationId: stream.conversationId },
      body: { parentId: stream.answer.id, text: "a note" },
    };
    expect((await studio.person.call("sendMessage", said)).status).toBe(200);
    studio.openai.open("stream");
    studio.fal.release("under way");
    for (const id of [stream.run.id, job.id])
      expect(await studio.ended(id)).toMatchObject({ state: "succeeded" });
    expect(textOfMessage(await studio.messageOf(stream.answer.id))).toBe("one two three");
    freeBytes += 1_001;
    expect([await upload(1_001), await upload(1_000)]).toEqual([507, 200]);
    expect((await askForMore(studio)).map(([status]) => status)).toEqual([200, 200]);
  });
});

it("a database file that can't grow: no transition is lost, callers learn that the disk is full, and it continues by itself", async () => {
  const studio = await createStudio(await createTestDatabase("sqlite"), {
    endsWithTest: true,
    instance: { outputRetryMs: [20] },
  });
  const { db } = studio.instance.store;
  const pages = (await sql<{ page_count: number }>`pragma page_count`.execute(db)).rows[0]!
    .page_count;
  const words = Array.from({ length: 40 }, (_, i) => ` ${i} ${"x".repeat(500)}`);
  studio.openai.script({ text: words, gate: { name: "stream", at: 1 } });
  const stream = await studio.ask("many words");
  await studio.openai.reached("stream");
  const job = await studio.make("under way [sim:hold]");
  await studio.inState(job.id, "running");
  await sql.raw(`pragma max_page_count = ${pages}`).execute(db);
  studio.openai.open("stream");
  studio.fal.release("under way");
  await until(
    "the answer has left its provider",
    async () => studio.openai.posts[0]?.state === "answered",
  );
  const full = await until("somebody is told", async () => {
    // The missing page may be the conversation's.
    const { projectId } = studio.person;
    const begun = await studio.person.call("createConversation", { body: { projectId } });
    if (begun.status !== 200) return [begun.status, begun.body.code];
    const answers = await askForMore(studio).catch(() => []);
    return answers.find(([status]) => status !== 200);
  });
  expect(full).toEqual([507, "storage_full"]);
  await sql`pragma max_page_count = 1000000`.execute(db);
  for (const id of [stream.run.id, job.id]) {
    expect(await studio.ended(id)).toMatchObject({ state: "succeeded", attempts: 1 });
    const events = await studio.events(id);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, i) => i + 1));
  }
  expect(textOfMessage(await studio.messageOf(stream.answer.id))).toBe(words.join(""));
  expect(studio.fal.ledger.postsOf("under way [sim:hold]")).toBe(1);
});
