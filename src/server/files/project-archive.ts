import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import type { Context } from "hono";
import { ZipFile } from "yazl";
import { archiveFormat } from "#contract/archive.ts";
import type { Project } from "#contract/entities.ts";
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
  const out = zip.outputStream as Readable;
  zip.on("error", (error: Error) => void out.destroy(error));
  void writeArchive(deps, openZip(zip, out, deps.clock.now()), project, of).catch(
    (error: unknown) => {
      if (!out.destroyed)
        deps.log.warn({ projectId: project.id, error: String(error) }, "an export was cut off");
      out.destroy(error instanceof Error ? error : new Error(String(error)));
    },
  );
  return c.body(Readable.toWeb(out) as ReadableStream, 200, {
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
  async function* lines(): AsyncGenerator<Buffer> {
    for await (const row of readToExport(deps.store.read, of, list)) {
      const line = Buffer.from(`${JSON.stringify(row)}\n`);
      hash.update(line);
      rows++;
      yield line;
    }
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
    if ((await blobs.stat(asset.sha256))?.bytes !== asset.bytes) missing.push(asset.sha256);
    else {
      await zip.add(`files/${asset.sha256}`, await blobs.get(asset.sha256), {
        compress: asset.kind === "text",
        size: asset.bytes,
      });
      bytes += asset.bytes;
    }
  }
  return { files: added.size - missing.length, bytes, missing };
}

type ZipWriter = ReturnType<typeof openZip>;

/** One entry after the other: the next starts when the previous one was read, so that nothing queues up in memory. */
function openZip(zip: ZipFile, out: Readable, at: number) {
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
    /** @returns the bytes of the entry */
    addJson(name: string, value: unknown): Buffer {
      const bytes = Buffer.from(JSON.stringify(value, null, 2));
      zip.addBuffer(bytes, name, { mtime });
      return bytes;
    },
    end: (): void => zip.end(),
  };
}
