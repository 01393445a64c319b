import { createHash } from "node:crypto";
import { type PassThrough, Readable } from "node:stream";
import { ReadableStream as NodeStream } from "node:stream/web";
import type { Context } from "hono";
import { ZipFile } from "yazl";
import type { BlobStore } from "#blobs/blob-store.ts";
import { archiveFormat } from "#contract/archive.ts";
import type { Project } from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import {
  type Exported,
  type ExportedAsset,
  type ExportOf,
  type ListToExport,
  listAssetsToExport,
  listConversationsToExport,
  listMessagesToExport,
  listRunsToExport,
  readToExport,
} from "#store/content/project-export.ts";
import type { ServerDeps } from "../deps.ts";
import type { Env } from "../env.ts";

type Deps = Pick<ServerDeps, "store" | "blobs" | "clock" | "ids" | "log" | "version">;
/** A file up to this size is read into memory: the streams of an entry cost the main thread more than so many bytes. */
const wholeMostBytes = 256 * 1024;
/** Lines are hashed and compressed in pieces of this length: each piece is a task for a thread. */
const chunkChars = 64 * 1024;

type Table = { name: string; rows: number; sha256: string };

/**
 * A project as one zip, streamed with a page of rows in memory at a time: project.json, a table each as lines of JSON
 * (conversations, messages, runs, assets), each file once under files/<its SHA-256>, and at last manifest.json with the counts and
 * hashes of project.json and the tables. One that was cut off has no manifest. There is in it what the person who asks may see, the names
 * of people and nothing else of them, and no key, no address of a connection or a provider, no provider's id.
 */
export function answerProjectArchive(
  c: Context<Env>,
  deps: Deps,
  project: Project,
  userId: string,
): Response {
  // Ids are in the order of making: what is made from now on is not in it.
  const of: ExportOf = { projectId: project.id, userId, lastId: deps.ids() };
  const zip = new ZipFile();
  const out = zip.outputStream as PassThrough;
  zip.on("error", (error: Error) => void out.destroy(error));
  void writeArchive(deps, openZip(zip, out, deps.clock.now()), project, of).catch(
    (error: unknown) => {
      if (!out.destroyed)
        deps.log.warn({ projectId: project.id, error: String(error) }, "an export was cut off");
      out.destroy(error instanceof Error ? error : new Error(String(error)));
    },
  );
  // Iterated, it gives all that is buffered at once: Readable.toWeb would give header, bytes and descriptor of each file alone.
  return c.body(NodeStream.from(out) as ReadableStream, 200, {
    "content-type": "application/zip",
    "content-disposition": `attachment; filename="bottega-project.zip"`,
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
  });
}

async function writeArchive(
  deps: Deps,
  zip: ZipWriter,
  project: Project,
  of: ExportOf,
): Promise<void> {
  const { name, description, instructions, defaults, createdAt } = project;
  const head = zip.addJson("project.json", {
    name,
    description,
    instructions,
    defaults,
    createdAt,
  });
  const tables = [
    await addTable(deps, zip, of, "conversations", listConversationsToExport),
    await addTable(deps, zip, of, "messages", listMessagesToExport),
    await addTable(deps, zip, of, "runs", listRunsToExport),
    await addTable(deps, zip, of, "assets", listAssetsToExport),
  ];
  const { files, bytes, missing } = await addFiles(deps, zip, of);
  zip.addJson("manifest.json", {
    format: archiveFormat,
    program: `Bottega ${deps.version}`,
    exportedAt: deps.clock.now(),
    project: { sha256: createHash("sha256").update(head).digest("hex") },
    tables,
    files: { count: files, bytes },
    // Lost before: their assets are listed without a file.
    missing,
  });
  zip.end();
}

/** A table as lines of JSON, hashed as it is written. */
async function addTable<T extends Exported>(
  deps: Deps,
  zip: ZipWriter,
  of: ExportOf,
  name: string,
  list: ListToExport<T>,
): Promise<Table> {
  const hash = createHash("sha256");
  let rows = 0;
  const toChunk = (text: string): Buffer => {
    const chunk = Buffer.from(text);
    hash.update(chunk);
    return chunk;
  };
  async function* lines(): AsyncGenerator<Buffer> {
    let text = "";
    for await (const row of readToExport(deps.store.read, of, list)) {
      text += `${JSON.stringify(row)}\n`;
      rows++;
      if (text.length < chunkChars) continue;
      yield toChunk(text);
      text = "";
    }
    if (text !== "") yield toChunk(text);
  }
  await zip.add(`${name}.jsonl`, lines(), { compress: true });
  return { name, rows, sha256: hash.digest("hex") };
}

/** Each file once, however many assets have it. Their hashes are remembered, nothing else of them. */
async function addFiles({ store, blobs }: Deps, zip: ZipWriter, of: ExportOf) {
  const added = new Set<string>();
  const missing: string[] = [];
  let bytes = 0;
  for await (const asset of readToExport<ExportedAsset>(store.read, of, listAssetsToExport)) {
    if (added.has(asset.sha256)) continue;
    added.add(asset.sha256);
    if (await addFile(blobs, zip, asset)) bytes += asset.bytes;
    else missing.push(asset.sha256);
  }
  return { files: added.size - missing.length, bytes, missing };
}

/** @returns false when the storage does not have it, or not whole */
async function addFile(blobs: BlobStore, zip: ZipWriter, asset: ExportedAsset): Promise<boolean> {
  const { sha256, bytes } = asset;
  const name = `files/${sha256}`;
  const compress = asset.kind === "text";
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

type ZipWriter = ReturnType<typeof openZip>;

/** One entry after the other: the next starts when the previous one was read, so that nothing queues up in memory. */
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
        // A disconnect or an error leaves no file open.
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
    /** Ends when the reader has room for more. */
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
