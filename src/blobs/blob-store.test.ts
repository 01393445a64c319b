import { createHash, randomBytes } from "node:crypto";
import { mkdtemp, open, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { Problem } from "#contract/errors.ts";
import { type S3Simulator, startS3 } from "../../test/simulators/s3/s3.ts";
import type { BlobStore } from "./blob-store.ts";
import { openDiskStore } from "./disk.ts";
import { openBlobStore } from "./open-storage.ts";
import { openS3Store } from "./s3.ts";
import { parseS3Url } from "./s3-location.ts";

// Uses real files, threads and programs on a machine that may be busy.
vi.setConfig({ testTimeout: 30_000 });

const mebibyte = 1024 ** 2;
const sha256Of = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

async function* chunksOf(bytes: Uint8Array, size = 100_000) {
  for (let start = 0; start < bytes.byteLength; start += size)
    yield bytes.subarray(start, start + size);
}

async function collect(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of source) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/**
 * Both kinds, opened like the program opens them, and with a disk that fails with ENOSPC at the
 * first write.
 */
const kinds = {
  disk: {
    open: (folder: string) => openBlobStore(undefined, folder, {}),
    openFull: (folder: string) => openDiskStore({ folder, openTemp: () => open("/dev/full", "w") }),
  },
  s3: {
    open: (folder: string, s3: S3Simulator) => openBlobStore(`${s3.url}`, folder, envOf(s3)),
    openFull: (folder: string, s3: S3Simulator) =>
      openS3Store({
        location: parseS3Url(s3.url, envOf(s3)),
        spoolFolder: folder,
        openTemp: () => open("/dev/full", "w"),
      }),
  },
};

const envOf = (s3: S3Simulator) => ({
  AWS_ACCESS_KEY_ID: s3.accessKeyId,
  AWS_SECRET_ACCESS_KEY: s3.secretAccessKey,
});

describe.each(Object.entries(kinds))("a blob store on %s", (_, kind) => {
  let folder: string;
  let s3: S3Simulator;
  let store: BlobStore;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "bottega-blobs-"));
    s3 = await startS3({ pageKeys: 3 });
    store = kind.open(folder, s3);
  });
  afterAll(async () => {
    await s3.stop();
    await rm(folder, { recursive: true, force: true });
  });
  const leftovers = async () => [
    ...(await readdir(join(folder, "blobs", "tmp"))),
    ...Array(s3.openUploads()).fill("upload"),
  ];

  it.each([0, 1, 8 * mebibyte, 8 * mebibyte + 1, 17 * mebibyte])(
    "returns the %i stored bytes, under their hash",
    async (size) => {
      const bytes = randomBytes(size);
      const stored = await store.put(chunksOf(bytes), { mime: "application/octet-stream" });
      expect(stored).toEqual({ sha256: sha256Of(bytes), bytes: size });
      expect(await store.stat(stored.sha256)).toEqual({ bytes: size });
      expect(sha256Of(await collect(await store.get(stored.sha256)))).toBe(stored.sha256);
      expect(await leftovers()).toEqual([]);
    },
  );

  it("reads a range with both ends included, and cuts an end past the last byte", async () => {
    const bytes = randomBytes(1_000);
    const { sha256 } = await store.put(chunksOf(bytes, 7));
    expect(await collect(await store.get(sha256, { start: 0, end: 0 }))).toEqual(
      bytes.subarray(0, 1),
    );
    expect(await collect(await store.get(sha256, { start: 100, end: 299 }))).toEqual(
      bytes.subarray(100, 300),
    );
    expect(await collect(await store.get(sha256, { start: 990, end: 5_000 }))).toEqual(
      bytes.subarray(990),
    );
  });

  it.each([
    { start: 1_000, end: 1_001 },
    { start: 5, end: 4 },
    { start: -1, end: 4 },
    { start: 0.5, end: 4 },
  ])("refuses the impossible range $start to $end", async (range) => {
    const { sha256 } = await store.put(chunksOf(Buffer.alloc(1_000, 1)));
    await expect(store.get(sha256, range)).rejects.toMatchObject({ code: "invalid_input" });
  });

  it("stores equal bytes once, also when they arrive at the same time", async () => {
    const bytes = randomBytes(50_000);
    const before = s3.requests.length;
    const twins = await Promise.all([store.put(chunksOf(bytes)), store.put(chunksOf(bytes))]);
    const third = await store.put(chunksOf(bytes));
    expect(new Set([...twins, third].map((stored) => stored.sha256)).size).toBe(1);
    const listed = [];
    for await (const blob of store.list()) if (blob.sha256 === third.sha256) listed.push(blob);
    expect(listed).toEqual([{ sha256: third.sha256, bytes: 50_000 }]);
    expect(
      s3.requests.slice(before).filter((request) => request.operation === "PutObject").length,
    ).toBeLessThanOrEqual(2);
    expect(await leftovers()).toEqual([]);
  });

  it.each([1, 12])("leaves nothing when the source fails after %i MiB", async (size) => {
    const bytes = randomBytes(size * mebibyte);
    async function* broken() {
      yield* chunksOf(bytes);
      throw new Error("the line went dead");
    }
    await expect(store.put(broken())).rejects.toThrow("the line went dead");
    expect(await store.stat(sha256Of(bytes))).toBeUndefined();
    expect(await leftovers()).toEqual([]);
  });

  it.each([1, 12])(
    "stops at once when aborted after %i MiB, even while the source is silent, and leaves nothing",
    async (size) => {
      const bytes = randomBytes(size * mebibyte);
      const controller = new AbortController();
      async function* silent() {
        yield* chunksOf(bytes);
        controller.abort(new Error("the person left"));
        await new Promise(() => {});
      }
      await expect(store.put(silent(), { signal: controller.signal })).rejects.toThrow(
        "the person left",
      );
      expect(await store.stat(sha256Of(bytes))).toBeUndefined();
      expect(await leftovers()).toEqual([]);
    },
  );

  it("accepts a file of exactly the maximum size and refuses one byte more as too_large", async () => {
    const bytes = randomBytes(30_001);
    await store.put(chunksOf(bytes.subarray(1)), { mostBytes: 30_000 });
    await expect(store.put(chunksOf(bytes), { mostBytes: 30_000 })).rejects.toMatchObject({
      code: "too_large",
    });
    expect(await store.stat(sha256Of(bytes))).toBeUndefined();
    expect(await leftovers()).toEqual([]);
  });

  it("reports not_found for missing files and for names that aren't hashes", async () => {
    await expect(store.get("0".repeat(64))).rejects.toMatchObject({ code: "not_found" });
    await expect(store.get("../../etc/passwd")).rejects.toMatchObject({ code: "not_found" });
    await expect(store.stat("A".repeat(64))).rejects.toMatchObject({ code: "not_found" });
    await expect(store.getVariant("0".repeat(64), "../thumb.webp")).rejects.toMatchObject({
      code: "not_found",
    });
    expect(await store.stat("0".repeat(64))).toBeUndefined();
  });

  it("keeps variants next to a blob and removes them with it", async () => {
    const { sha256 } = await store.put(chunksOf(randomBytes(10)));
    expect(await store.getVariant(sha256, "thumb-320.webp")).toBeUndefined();
    await store.putVariant(sha256, "thumb-320.webp", Buffer.from("first"));
    await store.putVariant(sha256, "thumb-320.webp", Buffer.from("small"));
    for (const name of ["a.json", "b.json", "c.json", "d.json"])
      await store.putVariant(sha256, name, Buffer.from(name));
    expect(Buffer.from((await store.getVariant(sha256, "thumb-320.webp"))!).toString()).toBe(
      "small",
    );
    await store.delete(sha256);
    await store.delete(sha256);
    expect(await store.stat(sha256)).toBeUndefined();
    expect(await store.getVariant(sha256, "thumb-320.webp")).toBeUndefined();
    expect(await store.getVariant(sha256, "d.json")).toBeUndefined();
  });

  it("lists every blob over many pages, and no variant", async () => {
    const expected = new Set<string>();
    for (let count = 0; count < 8; count += 1)
      expected.add((await store.put(chunksOf(randomBytes(20 + count)))).sha256);
    const [first] = expected;
    await store.putVariant(first!, "thumb-320.webp", Buffer.from("x"));
    const listed: string[] = [];
    for await (const blob of store.list()) listed.push(blob.sha256);
    expect(new Set(listed).size).toBe(listed.length);
    expect([...expected].filter((sha256) => !listed.includes(sha256))).toEqual([]);
  });

  it("reports storage_full when the disk is full, with its cause", async () => {
    const full = kind.openFull(join(folder, "full"), s3);
    const failed = await full
      .put(chunksOf(randomBytes(9 * mebibyte)))
      .catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(Problem);
    expect(failed).toMatchObject({ code: "storage_full", cause: { code: "ENOSPC" } });
  });
});
