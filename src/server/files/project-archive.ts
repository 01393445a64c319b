import { createHash } from "node:crypto";
import type { Context } from "hono";
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
import { addFile, answerZip, type ZipWriter } from "./zip-writer.ts";

type Deps = Pick<ServerDeps, "store" | "blobs" | "clock" | "ids" | "log" | "version">;
/**
 * Lines are hashed and compressed in chunks of this length, because each chunk is a task for a
 * thread.
 */
const chunkChars = 64 * 1024;

type Table = { name: string; rows: number; sha256: string };

/**
 * Streams a project as one zip, with a page of rows in memory at a time: project.json, one table
 * each as lines of JSON (conversations, messages, runs, assets), each file once as files/<its
 * SHA-256>, and finally manifest.json with the counts and hashes of project.json and the tables. A
 * truncated archive has no manifest. It contains only data that the requester may see. Of people it
 * contains only names, and no keys, no URLs of connections or providers, and no provider's ids.
 */
export function answerProjectArchive(
  c: Context<Env>,
  deps: Deps,
  project: Project,
  userId: string,
): Response {
  // Ids are in creation order: later rows aren't included.
  const of: ExportOf = { projectId: project.id, userId, lastId: deps.ids() };
  return answerZip(
    c,
    "bottega-project.zip",
    deps.clock.now(),
    (zip) => writeArchive(deps, zip, project, of),
    (error) =>
      deps.log.warn({ projectId: project.id, error: String(error) }, "an export was cut off"),
  );
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
    // Files lost earlier. Their assets are listed without a file.
    missing,
  });
  zip.end();
}

/** Writes a table as lines of JSON, and hashes it on the way. */
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

/** Writes each file once, however many assets share it. Only the hashes stay in memory. */
async function addFiles({ store, blobs }: Deps, zip: ZipWriter, of: ExportOf) {
  const added = new Set<string>();
  const missing: string[] = [];
  let bytes = 0;
  for await (const asset of readToExport<ExportedAsset>(store.read, of, listAssetsToExport)) {
    if (added.has(asset.sha256)) continue;
    added.add(asset.sha256);
    const compress = asset.kind === "text";
    if (await addFile(blobs, zip, `files/${asset.sha256}`, asset, { compress }))
      bytes += asset.bytes;
    else missing.push(asset.sha256);
  }
  return { files: added.size - missing.length, bytes, missing };
}
