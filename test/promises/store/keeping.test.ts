import { randomBytes } from "node:crypto";
import { v7 as uuid } from "uuid";
import { expect, it } from "vitest";
import type { BlobStore } from "#blobs/blob-store.ts";
import { Problem } from "#contract/errors.ts";
import type { EngineDeps } from "#engine/deps.ts";
import { ingestOutputs } from "#engine/ingest/ingest.ts";
import { storeBytes } from "#engine/ingest/store-bytes.ts";
import { saveUpload } from "#engine/ingest/upload.ts";
import { collectBlobs } from "#engine/recover/collect.ts";
import { type Adapter, type ProducedFile, ProviderError } from "#providers/adapter.ts";
import type { Output } from "#store/runs/outputs.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import {
  createTestDatabase,
  forEachDatabase,
  type TestDatabase,
} from "../../support/databases/databases.ts";
import { createInstance, createTestClock, type TestClock } from "../../support/server/instance.ts";

const hourMs = 60 * 60_000;
const sound = Buffer.from("RIFF\u0024\u0000\u0000\u0000WAVEfmt ".padEnd(100, "x"));
async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes.subarray(0, 10);
  yield bytes.subarray(10);
}

/** An instance with real files, whose disk fails as often as the test requests, after reading. */
async function createFailing(
  failures: { put?: unknown[]; get?: unknown[]; commit?: unknown[] },
  clock?: TestClock,
) {
  const own = { outputRetryMs: [1, 1], ...(clock && { clock }) };
  const instance = await createInstance(await createTestDatabase("sqlite"), {
    endsWithTest: true,
    start: false,
    ...own,
  });
  const { engineDeps } = instance;
  const blobs: BlobStore = {
    ...engineDeps.blobs,
    async put(source, options) {
      const error = failures.put?.shift();
      if (error === undefined) return engineDeps.blobs.put(source, options);
      for await (const _ of source) throw error;
      throw error;
    },
    async get(sha256, range) {
      const error = failures.get?.shift();
      if (error !== undefined) throw error;
      return engineDeps.blobs.get(sha256, range);
    },
  };
  const deps: EngineDeps = {
    ...engineDeps,
    blobs,
    async commit(unit) {
      const error = failures.commit?.shift();
      if (error !== undefined) throw error;
      return engineDeps.commit(unit);
    },
  };
  /** @param openFile reads the file, for files that only the adapter can open */
  const ingest = (file: ProducedFile, openFile?: Adapter["openFile"]) =>
    ingestOutputs(
      deps,
      {
        id: uuid(),
        projectId: "p",
        userId: "u",
        visibility: "project",
        task: "speech",
        input: {},
        createdAt: deps.clock.now(),
      } as OwnedRun,
      [{ file, output: { index: 0 } as Output }],
      {
        modelName: "m",
        adapter: { addresses: {}, openFile },
        context: {
          connection: { id: "c", kind: "k", addresses: {}, options: {}, secret: null },
          fetch,
          signal: AbortSignal.timeout(20_000),
          clock: deps.clock,
        },
      },
    );
  return { deps, ingest };
}

/** Where a provider stores a file for this key only. */
const kept = "https://files.example/a.wav";
const full = () => new Problem("storage_full");
const busy = () => Object.assign(new Error("database is locked"), { errcode: 5 });

it("a result that can be opened again is stored whole once there is room, however often there was none", async () => {
  const { ingest } = await createFailing({ put: [full(), full(), full(), full()] });
  const { assets, lost } = await ingest(
    { name: "a.wav", mime: "audio/wav", url: kept, needsKey: true },
    () => once(sound),
  );
  expect(lost).toEqual([]);
  expect(assets).toMatchObject([{ asset: { bytes: sound.length } }]);
});

it("bytes already in our storage are reread from there, however often storage fails", async () => {
  const { ingest } = await createFailing({ put: [full(), full()] });
  let opened = 0;
  const open = async () => {
    if (++opened < 3) throw new Problem("unavailable");
    return once(sound);
  };
  const { assets, lost } = await ingest({ name: "a.wav", mime: "audio/wav", open });
  expect(lost).toEqual([]);
  expect(assets).toMatchObject([{ asset: { bytes: sound.length } }]);
  expect(opened).toBe(5);
});

it("a source that fails with an error like our storage's is retried as long as any source, and no longer", async () => {
  const clock = createTestClock();
  const { ingest } = await createFailing({}, clock);
  let opened = 0;
  const { lost } = await ingest({ name: "a.wav", url: kept, needsKey: true }, async function* () {
    opened++;
    // A provider without a stated expiry keeps its files for an hour.
    clock.advance(20 * 60_000);
    yield sound;
    throw Object.assign(new Error("reset"), { code: "ECONNRESET" });
  });
  expect(opened).toBe(4);
  expect(lost).toHaveLength(1);
});

it("neither a busy database nor an unresponsive bucket loses a stored result", async () => {
  const { ingest } = await createFailing({
    commit: [busy(), busy(), busy(), busy()],
    get: [
      new Problem("unavailable"),
      new Problem("unavailable"),
      new Problem("unavailable"),
      new Problem("unavailable"),
    ],
  });
  const { assets, lost } = await ingest({ name: "a.wav", mime: "audio/wav", bytes: sound });
  expect(lost).toEqual([]);
  expect(assets).toMatchObject([{ asset: { bytes: sound.length } }]);
});

it("a result that its provider reports as gone isn't requested again", async () => {
  const { ingest } = await createFailing({});
  let opened = 0;
  const { lost } = await ingest({ name: "a.wav", url: kept, needsKey: true }, () => {
    opened++;
    throw new ProviderError("output_unavailable", "yes", { httpStatus: 410 });
  });
  expect(opened).toBe(1);
  expect(lost).toHaveLength(1);
});

it("an upload equal to a file being deleted is refused for now, and never becomes an empty file", async () => {
  const instance = await createInstance(await createTestDatabase("sqlite"), {
    endsWithTest: true,
    start: false,
  });
  const { engineDeps: deps } = instance;
  const person = await instance.createPerson("ada@example.org");
  const bytes = randomBytes(64);
  const { sha256 } = await storeBytes(deps, async () => once(bytes), { mostBytes: 1_000 });
  await instance.commit(({ tx }) =>
    tx.updateTable("blob").set({ state: "deleting" }).where("sha256", "=", sha256).execute(),
  );
  const upload = saveUpload(instance.engineDeps, {
    projectId: person.projectId,
    userId: person.user.id,
    name: "a.bin",
    source: once(bytes),
  });
  await expect(upload).rejects.toMatchObject({ code: "unavailable" });
});

/** An instance with a file that nothing has needed for two hours. */
async function createUnneeded(database: TestDatabase) {
  const clock = createTestClock();
  const { engineDeps: deps } = await createInstance(database, {
    endsWithTest: true,
    clock,
    start: false,
  });
  const bytes = randomBytes(64);
  const { sha256 } = await storeBytes(deps, async () => once(bytes), { mostBytes: 1_000 });
  clock.advance(2 * hourMs);
  return { clock, deps, bytes, sha256 };
}

forEachDatabase((_, create) => {
  it("bytes uploaded again while a collector takes the old ones exist in the end, however the two interleave", async () => {
    const { deps, bytes, sha256 } = await createUnneeded(await create());
    // The new reference has found the file and not yet claimed it; the collector takes the file and
    // the row meanwhile.
    let collected = false;
    const blobs: BlobStore = {
      ...deps.blobs,
      async put(source, options) {
        const kept = await deps.blobs.put(source, options);
        if (!collected) expect(await collectBlobs(deps)).toBe(1);
        collected = true;
        return kept;
      },
    };
    await storeBytes({ ...deps, blobs }, async () => once(bytes), { mostBytes: 1_000 });
    expect(await deps.blobs.stat(sha256)).toEqual({ bytes: 64 });
  });

  it("two collectors never handle the same file: a marked file belongs to one until it is dead", async () => {
    const { clock, deps, sha256 } = await createUnneeded(await create());
    let inHand = true;
    const slow: BlobStore = {
      ...deps.blobs,
      async delete(hash) {
        expect(await collectBlobs(deps)).toBe(0);
        if (!inHand) return deps.blobs.delete(hash);
        inHand = false;
        throw new Error("this collector died");
      },
    };
    await expect(collectBlobs({ ...deps, blobs: slow })).rejects.toThrow("died");
    clock.advance(6 * 60_000);
    expect(await collectBlobs(deps)).toBe(1);
    expect(await deps.blobs.stat(sha256)).toBeUndefined();
  });
});
