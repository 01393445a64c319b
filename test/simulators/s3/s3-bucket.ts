import { createHash, randomUUID } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";

export type StoredObject = { key: string; bytes: number; etag: string; mime: string; path: string };
type Part = { etag: string; bytes: number; path: string };
/**
 * A PUT's conditions: `ifMatch` is the required ETag, `ifNoneMatch` requires that no object exists.
 */
export type PutCondition = { ifMatch?: string; ifNoneMatch?: boolean };
export type PartList = { partNumber: number; etag: string }[];

/**
 * The S3 simulator's contents: objects and unfinished uploads as files of a temporary folder,
 * deleted by `remove`.
 */
export type Bucket = Awaited<ReturnType<typeof openBucket>>;

/**
 * The minimum size of every part but the last
 * (https://docs.aws.amazon.com/AmazonS3/latest/userguide/qfacts.html).
 */
const minPartBytes = 5 * 1024 ** 2;

const md5 = (bytes: Uint8Array | string) => createHash("md5").update(bytes).digest("hex");

export async function openBucket() {
  const folder = await mkdtemp(join(tmpdir(), "bottega-s3-"));
  const objects = new Map<string, StoredObject>();
  const uploads = new Map<string, { key: string; mime: string; parts: Map<number, Part> }>();
  await mkdir(join(folder, "new"));

  async function write(bytes: Uint8Array): Promise<string> {
    const path = join(folder, "new", randomUUID());
    await writeFile(path, bytes);
    return path;
  }

  /** The object's ETag, or the S3 code of the failed condition. Checks and stores in one step. */
  async function putObject(
    key: string,
    mime: string,
    bytes: Uint8Array,
    condition: PutCondition = {},
  ): Promise<{ etag: string } | { code: string }> {
    const etag = `"${md5(bytes)}"`;
    const code = await keep(
      { key, bytes: bytes.byteLength, etag, mime, path: await write(bytes) },
      condition,
    );
    return code === undefined ? { etag } : { code };
  }

  async function keep(
    object: StoredObject,
    condition: PutCondition = {},
  ): Promise<string | undefined> {
    const path = join(folder, randomUUID());
    await rename(object.path, path);
    const before = objects.get(object.key);
    const refusal = refusalOf(condition, before);
    if (refusal === undefined) objects.set(object.key, { ...object, path });
    const gone = refusal === undefined ? before?.path : path;
    if (gone) await rm(gone, { force: true });
    return refusal;
  }

  /** https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html */
  function refusalOf(
    { ifMatch, ifNoneMatch }: PutCondition,
    before: StoredObject | undefined,
  ): string | undefined {
    if (ifNoneMatch && before) return "PreconditionFailed";
    if (ifMatch === undefined) return undefined;
    if (!before) return "NoSuchKey";
    return before.etag === ifMatch ? undefined : "PreconditionFailed";
  }

  function createUpload(key: string, mime: string): string {
    const id = randomUUID();
    uploads.set(id, { key, mime, parts: new Map() });
    return id;
  }

  /** The part's ETag, or the S3 code of the error. */
  async function putPart(
    id: string,
    key: string,
    partNumber: number,
    bytes: Uint8Array,
  ): Promise<{ etag: string } | { code: string }> {
    const upload = uploads.get(id);
    if (upload?.key !== key) return { code: "NoSuchUpload" };
    if (!Number.isInteger(partNumber) || partNumber < 1 || partNumber > 10_000)
      return { code: "InvalidArgument" };
    const etag = `"${md5(bytes)}"`;
    upload.parts.set(partNumber, { etag, bytes: bytes.byteLength, path: await write(bytes) });
    return { etag };
  }

  async function completeUpload(
    id: string,
    key: string,
    list: PartList,
  ): Promise<{ etag: string } | { code: string }> {
    const upload = uploads.get(id);
    if (upload?.key !== key) return { code: "NoSuchUpload" };
    if (list.length === 0) return { code: "MalformedXML" };
    const parts: Part[] = [];
    for (const [index, named] of list.entries()) {
      const part = upload.parts.get(named.partNumber);
      if (index > 0 && named.partNumber <= list[index - 1]!.partNumber)
        return { code: "InvalidPartOrder" };
      if (part?.etag !== named.etag) return { code: "InvalidPart" };
      if (index < list.length - 1 && part.bytes < minPartBytes) return { code: "EntityTooSmall" };
      parts.push(part);
    }
    const path = join(folder, "new", randomUUID());
    for (const part of parts)
      await pipeline(createReadStream(part.path), createWriteStream(path, { flags: "a" }));
    const etag = `"${md5(parts.map((part) => part.etag).join())}-${parts.length}"`;
    await keep({
      key,
      bytes: parts.reduce((sum, part) => sum + part.bytes, 0),
      etag,
      mime: upload.mime,
      path,
    });
    await dropUpload(id);
    return { etag };
  }

  async function dropUpload(id: string): Promise<boolean> {
    const upload = uploads.get(id);
    uploads.delete(id);
    for (const part of upload?.parts.values() ?? []) await rm(part.path, { force: true });
    return upload !== undefined;
  }

  return {
    putObject,
    createUpload,
    putPart,
    completeUpload,
    dropUpload,
    find: (key: string) => objects.get(key),
    async drop(key: string) {
      const object = objects.get(key);
      objects.delete(key);
      if (object) await rm(object.path, { force: true });
    },
    /** In S3's order: by the key's bytes. */
    keys: () => [...objects.keys()].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
    openUploads: () => uploads.size,
    async bytesOnDisk() {
      const names = await readdir(folder, { withFileTypes: true, recursive: true });
      const files = names.filter((entry) => entry.isFile());
      const sizes = await Promise.all(
        files.map(async (entry) => (await stat(join(entry.parentPath, entry.name))).size),
      );
      return sizes.reduce((sum, size) => sum + size, 0);
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
