import { Readable } from "node:stream";
import type { Context } from "hono";
import { ZipFile } from "yazl";
import type { BlobStore } from "#blobs/blob-store.ts";
import type { Asset, Run } from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import type { JsonObject } from "#contract/json.ts";
import { sentences } from "#contract/sentences/index.ts";
import { safeFileName } from "#domain/files/file-headers.ts";
import type { Env } from "../env.ts";

/** How many files are looked for at once: a bucket answers each in tens of milliseconds. */
const looksAtOnce = 16;

/**
 * Assets as one ZIP, streamed: each file with its recipe as JSON. Pictures and film are not deflated again.
 * @throws Problem unavailable when a file is not in the storage: once bytes are sent, an error can only cut them off
 */
export async function answerArchive(
  c: Context<Env>,
  blobs: BlobStore,
  assets: readonly Asset[],
  recipes: { runs: ReadonlyMap<string, Run>; inputs: ReadonlyMap<string, JsonObject> },
): Promise<Response> {
  await requireFiles(blobs, assets);
  const zip = new ZipFile();
  const out = zip.outputStream as Readable;
  const taken = new Set<string>();
  const fail = (error: Error): void => void out.destroy(error);
  zip.on("error", fail);
  // A disconnect, or an error of another file, leaves no file open.
  let reading: Readable | undefined;
  out.once("close", () => reading?.destroy());
  for (const asset of assets) {
    const name = uniqueName(safeFileName(asset.title, asset.mime), taken);
    zip.addReadStreamLazy(
      name,
      {
        compress: asset.kind === "text" || asset.kind === "file",
        size: asset.bytes,
        mtime: new Date(asset.createdAt),
      },
      (done) => {
        blobs.get(asset.sha256).then((bytes) => {
          const source = Readable.from(bytes);
          source.on("error", fail);
          reading = source;
          if (out.destroyed) source.destroy();
          else done(null, source);
        }, fail);
      },
    );
    const run = asset.runId ? recipes.runs.get(asset.runId) : undefined;
    const recipe = recipeOf(asset, run, recipes.inputs.get(asset.id));
    zip.addBuffer(Buffer.from(JSON.stringify(recipe, null, 2)), `${name}.recipe.json`, {
      mtime: new Date(asset.createdAt),
    });
  }
  zip.end();
  return c.body(Readable.toWeb(out) as ReadableStream, 200, {
    "content-type": "application/zip",
    "content-disposition": `attachment; filename="bottega.zip"`,
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
  });
}

async function requireFiles(blobs: BlobStore, assets: readonly Asset[]): Promise<void> {
  for (let start = 0; start < assets.length; start += looksAtOnce)
    await Promise.all(
      assets.slice(start, start + looksAtOnce).map(async (asset) => {
        const found = await blobs.stat(asset.sha256);
        if (found?.bytes !== asset.bytes)
          throw new Problem("unavailable", {
            message: sentences.files.archiveFileUnreadable({ title: asset.title }),
          });
      }),
    );
}

function uniqueName(name: string, taken: Set<string>): string {
  const dot = name.lastIndexOf(".");
  let unique = name;
  for (let n = 2; taken.has(unique.toLowerCase()); n++)
    unique = dot > 0 ? `${name.slice(0, dot)} ${n}${name.slice(dot)}` : `${name} ${n}`;
  taken.add(unique.toLowerCase());
  return unique;
}

/** `input`: what this one was made of, where that is not its run's. */
const recipeOf = (asset: Asset, run: Run | undefined, input: JsonObject | undefined) => ({
  asset: {
    id: asset.id,
    sha256: asset.sha256,
    mime: asset.mime,
    bytes: asset.bytes,
    width: asset.width,
    height: asset.height,
    durationMs: asset.durationMs,
    createdAt: new Date(asset.createdAt).toISOString(),
  },
  run: run
    ? {
        id: run.id,
        task: run.task,
        connectionId: run.connectionId,
        modelId: run.modelId,
        input: input ?? run.input,
        result: run.result,
        costMicros: run.costMicros,
        usage: run.usage,
      }
    : null,
});
