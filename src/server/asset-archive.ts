import { Readable } from "node:stream";
import type { Context } from "hono";
import { ZipFile } from "yazl";
import type { BlobStore } from "#blobs/blob-store.ts";
import type { Asset, Run } from "#contract/entities.ts";
import { safeFileName } from "#domain/file-headers.ts";
import type { Env } from "./gate.ts";

/** Assets as one zip, streamed: each file, and beside it its recipe as JSON. Pictures and film are not deflated again. */
export function answerArchive(c: Context<Env>, blobs: BlobStore, assets: readonly Asset[], runs: ReadonlyMap<string, Run>): Response {
  const zip = new ZipFile();
  const taken = new Set<string>();
  for (const asset of assets) {
    const name = uniqueName(safeFileName(asset.title, asset.mime), taken);
    zip.addReadStreamLazy(
      name,
      { compress: asset.kind === "text" || asset.kind === "file", size: asset.bytes, mtime: new Date(asset.createdAt) },
      (done) => {
        blobs.get(asset.sha256).then(
          (source) => done(null, Readable.from(source)),
          (error) => done(error, Readable.from([])),
        );
      },
    );
    const run = asset.runId ? runs.get(asset.runId) : undefined;
    zip.addBuffer(Buffer.from(JSON.stringify(recipeOf(asset, run), null, 2)), `${name}.recipe.json`, { mtime: new Date(asset.createdAt) });
  }
  zip.end();
  return c.body(Readable.toWeb(Readable.from(zip.outputStream)) as ReadableStream, 200, {
    "content-type": "application/zip",
    "content-disposition": `attachment; filename="bottega.zip"`,
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
  });
}

function uniqueName(name: string, taken: Set<string>): string {
  const dot = name.lastIndexOf(".");
  let unique = name;
  for (let n = 2; taken.has(unique.toLowerCase()); n++) unique = dot > 0 ? `${name.slice(0, dot)} ${n}${name.slice(dot)}` : `${name} ${n}`;
  taken.add(unique.toLowerCase());
  return unique;
}

const recipeOf = (asset: Asset, run: Run | undefined) => ({
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
        input: run.input,
        result: run.result,
        costMicros: run.costMicros,
        usage: run.usage,
      }
    : null,
});
