import { Readable } from "node:stream";
import type { Context } from "hono";
import { ZipFile } from "yazl";
import type { BlobStore } from "#blobs/blob-store.ts";
import type { Asset, Run } from "#contract/entities.ts";
import type { JsonObject } from "#contract/json.ts";
import { sentences } from "#contract/sentences/index.ts";
import { safeFileName } from "#domain/files/file-headers.ts";
import { recipeOf } from "#domain/files/recipe.ts";
import type { Env } from "../env.ts";
import { createNames } from "./unique-names.ts";

/** Files checked at once: a bucket takes tens of milliseconds for each. */
const looksAtOnce = 16;

/** Assets read, and held in memory, at once. */
const assetsAtOnce = 100;

/** The assets that still exist and that the requester may see, with the data for their recipes. */
export type ArchivePart = {
  assets: readonly Asset[];
  runs: ReadonlyMap<string, Run>;
  inputs: ReadonlyMap<string, JsonObject>;
};

/**
 * Streams assets as one ZIP, each file with its recipe as JSON. Pictures and videos aren't
 * compressed again. A hundred assets are in memory at a time; the next are read once those are
 * sent. A text file inside lists files that are missing from the storage.
 */
export async function answerArchive(
  c: Context<Env>,
  blobs: BlobStore,
  ids: readonly string[],
  read: (ids: readonly string[]) => Promise<ArchivePart>,
): Promise<Response> {
  const zip = new ZipFile();
  const out = zip.outputStream as Readable;
  const nameOf = createNames();
  const lost: string[] = [];
  const fail = (error: Error): void => void out.destroy(error);
  zip.on("error", fail);
  // After a disconnect, or an error of another file, no file stays open.
  let reading: Readable | undefined;
  const closed = new Promise<void>((resolve) => {
    out.once("close", () => {
      reading?.destroy();
      resolve();
    });
  });

  const addFile = (asset: Asset, name: string): Promise<void> =>
    new Promise((sent) => {
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
            source.once("close", sent);
            reading = source;
            if (out.destroyed) source.destroy();
            else done(null, source);
          }, fail);
        },
      );
    });

  /** @returns `sent` resolves when the last of these files was read, or the response has ended */
  async function addPart(from: number): Promise<{ sent: Promise<void> }> {
    const { assets, runs, inputs } = await read(ids.slice(from, from + assetsAtOnce));
    const missing = await findMissing(blobs, assets);
    let sent = Promise.resolve();
    for (const asset of assets) {
      const name = nameOf(safeFileName(asset.title, asset.mime));
      if (missing.has(asset.id)) lost.push(name);
      else sent = addFile(asset, name);
      const run = asset.runId ? runs.get(asset.runId) : undefined;
      const recipe = recipeOf(asset, run, inputs.get(asset.id));
      zip.addBuffer(Buffer.from(JSON.stringify(recipe, null, 2)), `${name}.recipe.json`, {
        mtime: new Date(asset.createdAt),
      });
    }
    return { sent: Promise.race([sent, closed]) };
  }

  async function addRest(first: Promise<void>): Promise<void> {
    let before = first;
    for (let from = assetsAtOnce; from < ids.length; from += assetsAtOnce) {
      await before;
      if (out.destroyed) return;
      before = (await addPart(from)).sent;
    }
    if (lost.length > 0) {
      const text = `${sentences.files.missingInArchive}\n\n${lost.join("\n")}\n`;
      zip.addBuffer(Buffer.from(text), nameOf("missing files.txt"));
    }
    zip.end();
  }

  // Reads the first part before responding, because errors after the first byte can only cut the
  // response off.
  const { sent } = await addPart(0);
  void addRest(sent).catch(fail);
  return c.body(Readable.toWeb(out) as ReadableStream, 200, {
    "content-type": "application/zip",
    "content-disposition": `attachment; filename="bottega.zip"`,
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
  });
}

/** Returns the ids of assets whose file is missing from the storage or incomplete. */
async function findMissing(blobs: BlobStore, assets: readonly Asset[]): Promise<Set<string>> {
  const missing = new Set<string>();
  for (let start = 0; start < assets.length; start += looksAtOnce)
    await Promise.all(
      assets.slice(start, start + looksAtOnce).map(async ({ id, sha256, bytes }) => {
        if ((await blobs.stat(sha256))?.bytes !== bytes) missing.add(id);
      }),
    );
  return missing;
}
