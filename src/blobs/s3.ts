import { createHash } from "node:crypto";
import { Problem } from "#contract/errors.ts";
import { sentences } from "#contract/sentences/index.ts";
import { checkRange, checkSha256, checkVariant, impossibleRange, isSha256 } from "./blob-name.ts";
import type { BlobStore, ByteRange, PutOptions } from "./blob-store.ts";
import { limitSource, readHead } from "./limited-source.ts";
import { openS3Client, type S3Client } from "./s3-client.ts";
import type { S3Location } from "./s3-location.ts";
import { partBytes, typeHeader, uploadInParts } from "./s3-multipart.ts";
import { elements, tagText } from "./s3-xml.ts";
import { type OpenFile, openTempFiles } from "./temp-files.ts";

const blobKey = (sha256: string) => `blobs/${checkSha256(sha256)}`;
const variantFolder = (sha256: string) => `variants/${checkSha256(sha256)}/`;

/**
 * Blobs in a bucket: <prefix>blobs/<sha256>, derived files in <prefix>variants/<sha256>/. The name
 * is known only at the end of a stream, so a small one is held in memory and a large one spooled to
 * disk before the upload. The object is checked afterwards, because the answer can be lost although
 * the bytes arrived, and the other way round.
 */
export function openS3Store(options: {
  location: S3Location;
  spoolFolder: string;
  fetch?: typeof globalThis.fetch;
  retryDelaysMs?: readonly number[];
  openTemp?: OpenFile;
  sweep?: boolean;
}): BlobStore {
  const client = openS3Client(options.location, options.fetch, options.retryDelaysMs);
  const temps = openTempFiles(options.spoolFolder, options.openTemp, options.sweep);

  async function putWhole(
    bytes: Uint8Array,
    put: PutOptions,
  ): Promise<{ sha256: string; bytes: number }> {
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    const stored = { sha256, bytes: bytes.byteLength };
    if ((await sizeOf(client, blobKey(sha256))) === stored.bytes) return stored;
    await putObject(client, blobKey(sha256), bytes, { sha256, ...put });
    return stored;
  }

  async function putSpooled(
    source: AsyncIterable<Uint8Array>,
    put: PutOptions,
  ): Promise<{ sha256: string; bytes: number }> {
    const { path, ...stored } = await temps.receive(source);
    const key = blobKey(stored.sha256);
    try {
      if ((await sizeOf(client, key)) === stored.bytes) return stored;
      await uploadInParts(client, key, { path, bytes: stored.bytes }, put).catch(
        async (error: unknown) => {
          put.signal?.throwIfAborted();
          // The last answer may have failed although the object is stored.
          if ((await sizeOf(client, key).catch(() => undefined)) !== stored.bytes) throw error;
        },
      );
      if ((await sizeOf(client, key)) !== stored.bytes) {
        throw new Problem("unavailable", {
          message: sentences.storage.notSaved,
        });
      }
      return stored;
    } finally {
      await temps.remove(path).catch(() => {});
    }
  }

  return {
    async put(source, put = {}) {
      const head = await readHead(limitSource(source, put), partBytes);
      return "whole" in head ? putWhole(head.whole, put) : putSpooled(head.rest, put);
    },
    async stat(sha256) {
      const bytes = await sizeOf(client, blobKey(sha256));
      return bytes === undefined ? undefined : { bytes };
    },
    async storedAt(sha256) {
      const head = await headOf(client, blobKey(sha256));
      return head && Date.parse(head.get("last-modified") ?? "");
    },
    async get(sha256, range) {
      return getObject(client, blobKey(sha256), range);
    },
    async delete(sha256) {
      await deleteObject(client, blobKey(sha256));
      const variants = listObjects(client, variantFolder(sha256));
      for await (const variant of variants) await deleteObject(client, variant.key);
    },
    async putVariant(sha256, variant, bytes) {
      await putObject(client, variantFolder(sha256) + checkVariant(variant), bytes, {});
    },
    async getVariant(sha256, variant) {
      const key = variantFolder(sha256) + checkVariant(variant);
      const found = await client.call({ method: "GET", key, idempotent: true, expect: [200, 404] });
      if (found.status === 200) return new Uint8Array(await found.arrayBuffer());
      await found.body?.cancel();
      return undefined;
    },
    async *list() {
      for await (const { key, bytes } of listObjects(client, "blobs/")) {
        const sha256 = key.slice("blobs/".length);
        if (isSha256(sha256)) yield { sha256, bytes };
      }
    },
  };
}

async function headOf(client: S3Client, key: string): Promise<Headers | undefined> {
  const head = await client.call({ method: "HEAD", key, idempotent: true, expect: [200, 404] });
  return head.status === 404 ? undefined : head.headers;
}

async function sizeOf(client: S3Client, key: string): Promise<number | undefined> {
  const head = await headOf(client, key);
  return head && Number(head.get("content-length"));
}

/** The key determines the bytes, so the same PUT is repeated after a lost answer. */
async function putObject(
  client: S3Client,
  key: string,
  bytes: Uint8Array,
  options: { sha256?: string; mime?: string; signal?: AbortSignal },
): Promise<void> {
  const headers = typeHeader(options.mime);
  const { sha256: bodySha256, signal } = options;
  const body = new Uint8Array(bytes);
  const answer = await client.call({
    method: "PUT",
    key,
    headers,
    body,
    bodySha256,
    idempotent: true,
    expect: [200],
    signal,
  });
  await answer.body?.cancel();
}

async function getObject(
  client: S3Client,
  key: string,
  range: ByteRange | undefined,
): Promise<AsyncIterable<Uint8Array>> {
  // Refuses a range that HTTP can't express. The storage checks whether it exists.
  if (range) checkRange(range, Number.POSITIVE_INFINITY);
  const headers: Record<string, string> = range
    ? { range: `bytes=${range.start}-${range.end}` }
    : {};
  const answer = await client.call({
    method: "GET",
    key,
    headers,
    idempotent: true,
    expect: [range ? 206 : 200, 404, 416],
  });
  if (answer.status === 200 || answer.status === 206) return readBody(answer);
  await answer.body?.cancel();
  throw answer.status === 416 ? impossibleRange() : new Problem("not_found");
}

async function* readBody(answer: Response): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    if (answer.body) yield* answer.body;
  } catch (error) {
    throw new Problem("unavailable", { message: sentences.storage.stopped }, { cause: error });
  }
}

async function deleteObject(client: S3Client, key: string): Promise<void> {
  const answer = await client.call({
    method: "DELETE",
    key,
    idempotent: true,
    expect: [204, 200, 404],
  });
  await answer.body?.cancel();
}

/** ListObjectsV2, page by page; keys without the location's prefix. */
async function* listObjects(
  client: S3Client,
  folder: string,
): AsyncGenerator<{ key: string; bytes: number }, void, undefined> {
  let token: string | undefined;
  do {
    const query: Record<string, string> = { "list-type": "2", prefix: client.prefix + folder };
    if (token !== undefined) query["continuation-token"] = token;
    const xml = await (
      await client.call({ method: "GET", key: "", query, idempotent: true, expect: [200] })
    ).text();
    for (const entry of elements(xml, "Contents")) {
      const key = tagText(entry, "Key") ?? "";
      yield { key: key.slice(client.prefix.length), bytes: Number(tagText(entry, "Size")) };
    }
    token =
      tagText(xml, "IsTruncated") === "true" ? tagText(xml, "NextContinuationToken") : undefined;
  } while (token !== undefined);
}
