import { type PassThrough, Readable } from "node:stream";
import { ReadableStream as NodeStream } from "node:stream/web";
import type { Context } from "hono";
import { ZipFile } from "yazl";
import type { BlobStore } from "#blobs/blob-store.ts";
import { Problem } from "#contract/errors.ts";
import { contentDisposition } from "#domain/files/file-headers.ts";
import type { Env } from "../env.ts";

/**
 * Files up to this size are read into memory, because an entry's streams cost the main thread more
 * than that.
 */
const wholeMostBytes = 256 * 1024;

export type ZipWriter = ReturnType<typeof openZip>;

/**
 * Responds with a zip that `write` fills while it is sent.
 * @param onCut called with the error, unless the client disconnected
 */
export function answerZip(
  c: Context<Env>,
  name: string,
  now: number,
  write: (zip: ZipWriter) => Promise<void>,
  onCut: (error: unknown) => void,
): Response {
  const zip = new ZipFile();
  const out = zip.outputStream as PassThrough;
  zip.on("error", (error: Error) => void out.destroy(error));
  void write(openZip(zip, out, now)).catch((error: unknown) => {
    if (!out.destroyed) onCut(error);
    out.destroy(error instanceof Error ? error : new Error(String(error)));
  });
  // As an async iterable, it yields everything buffered at once: Readable.toWeb would yield the
  // header, bytes and descriptor of each file separately.
  return c.body(NodeStream.from(out) as ReadableStream, 200, {
    "content-type": "application/zip",
    "content-disposition": contentDisposition("attachment", name),
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
  });
}

/** @returns false when the file is missing from the storage or incomplete */
export async function addFile(
  blobs: BlobStore,
  zip: ZipWriter,
  name: string,
  { sha256, bytes, kind }: { sha256: string; bytes: number; kind: string },
): Promise<boolean> {
  const compress = kind === "text";
  if (compress || bytes > wholeMostBytes) {
    if ((await blobs.stat(sha256))?.bytes !== bytes) return false;
    await zip.add(name, await blobs.get(sha256), { compress, size: bytes });
    return true;
  }
  const whole = await readWhole(blobs, sha256);
  if (whole?.byteLength !== bytes) return false;
  await zip.addBytes(name, whole);
  return true;
}

async function readWhole(blobs: BlobStore, sha256: string): Promise<Buffer | undefined> {
  try {
    const chunks: Uint8Array[] = [];
    for await (const chunk of await blobs.get(sha256)) chunks.push(chunk);
    return Buffer.concat(chunks);
  } catch (error) {
    if (error instanceof Problem && error.code === "not_found") return undefined;
    throw error;
  }
}

/**
 * Entries are written one at a time: each starts when the previous one was read, so that nothing
 * queues up in memory.
 */
function openZip(zip: ZipFile, out: PassThrough, at: number) {
  const mtime = new Date(at);
  return {
    add: (
      name: string,
      source: AsyncIterable<Uint8Array>,
      options: { compress: boolean; size?: number },
    ): Promise<void> =>
      new Promise((resolve, reject) => {
        const gone = (): void => reject(new Error("the client disconnected"));
        if (out.destroyed) return gone();
        const stream = Readable.from(source);
        // After a disconnect or an error, no file stays open.
        const stop = (): void => {
          stream.destroy();
          gone();
        };
        out.once("close", stop);
        stream.once("error", reject);
        stream.once("end", () => {
          out.off("close", stop);
          resolve();
        });
        zip.addReadStream(stream, name, { ...options, mtime });
      }),
    /** Resolves when the reader has room for more. */
    addBytes: (name: string, bytes: Buffer): Promise<void> =>
      new Promise((resolve, reject) => {
        const gone = (): void => reject(new Error("the client disconnected"));
        if (out.destroyed) return gone();
        zip.addBuffer(bytes, name, { compress: false, mtime });
        if (!out.writableNeedDrain) return resolve();
        out.once("close", gone);
        out.once("drain", () => {
          out.off("close", gone);
          resolve();
        });
      }),
    /** @returns the bytes of the entry */
    addJson(name: string, value: unknown): Buffer {
      const bytes = Buffer.from(JSON.stringify(value, null, 2));
      zip.addBuffer(bytes, name, { mtime });
      return bytes;
    },
    end: (): void => zip.end(),
  };
}
