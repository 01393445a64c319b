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
const maxWholeBytes = 256 * 1024;

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
  const cut = (error: unknown): void => {
    if (!out.destroyed) onCut(error);
    out.destroy(error instanceof Error ? error : new Error(String(error)));
  };
  zip.on("error", cut);
  void write(openZip(zip, out, now)).catch(cut);
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
  { sha256, bytes }: { sha256: string; bytes: number },
  { compress, at }: { compress: boolean; at?: number },
): Promise<boolean> {
  if (compress || bytes > maxWholeBytes) {
    if ((await blobs.stat(sha256))?.bytes !== bytes) return false;
    await zip.add(name, await blobs.get(sha256), { compress, size: bytes, at });
    return true;
  }
  const whole = await readWhole(blobs, sha256);
  if (whole?.byteLength !== bytes) return false;
  await zip.addBytes(name, whole, at);
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
 * @param now the date of entries without a date of their own
 */
function openZip(zip: ZipFile, out: PassThrough, now: number) {
  const list = createEntryList(zip);
  return {
    add: (
      name: string,
      source: AsyncIterable<Uint8Array>,
      { at = now, ...options }: { compress: boolean; size?: number; at?: number | undefined },
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
        list.setWrittenAside();
        zip.addReadStream(stream, name, { ...options, mtime: new Date(at) });
      }),
    /** Resolves when the reader has room for more. */
    addBytes: (name: string, bytes: Buffer, at = now): Promise<void> =>
      new Promise((resolve, reject) => {
        const gone = (): void => reject(new Error("the client disconnected"));
        if (out.destroyed) return gone();
        list.setWrittenAside();
        zip.addBuffer(bytes, name, { compress: false, mtime: new Date(at) });
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
      zip.addBuffer(bytes, name, { mtime: new Date(now) });
      return bytes;
    },
    end(): void {
      list.restore();
      zip.end();
    },
  };
}

/** The state of an entry that yazl has written. */
const written = 3;

/** An entry inside yazl; `doFileDataPump` writes it, and holds its bytes. */
type Entry = { state: number; doFileDataPump?: (() => void) | undefined };

/**
 * yazl looks for its next entry from the start of its list, twice for each entry: at 60,000 files
 * that was most of an export's work. It also holds the bytes of each small file until the end. So
 * written entries are kept aside, without their bytes, until the end, when yazl writes the
 * directory of all.
 */
function createEntryList(zip: ZipFile) {
  // Not in its types, and so not promised: an archive without them would have no files.
  const inside = zip as unknown as { entries: Entry[] };
  const aside: Entry[] = [];
  return {
    setWrittenAside(): void {
      while (inside.entries[0]?.state === written) {
        const entry = inside.entries.shift()!;
        entry.doFileDataPump = undefined;
        aside.push(entry);
      }
    },
    restore(): void {
      inside.entries = aside.concat(inside.entries);
    },
  };
}
