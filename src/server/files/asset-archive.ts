import type { Context } from "hono";
import type { Asset, Run } from "#contract/entities.ts";
import type { JsonObject } from "#contract/json.ts";
import { sentences } from "#contract/sentences/index.ts";
import { safeFileName } from "#domain/files/file-headers.ts";
import { recipeOf } from "#domain/files/recipe.ts";
import type { ServerDeps } from "../deps.ts";
import type { Env } from "../env.ts";
import { createNames } from "./unique-names.ts";
import { addFile, answerZip, type ZipWriter } from "./zip-writer.ts";

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
  { blobs, clock, log }: Pick<ServerDeps, "blobs" | "clock" | "log">,
  ids: readonly string[],
  read: (ids: readonly string[]) => Promise<ArchivePart>,
): Promise<Response> {
  // Read before responding, because errors after the first byte can only cut the response off.
  const first = await read(ids.slice(0, assetsAtOnce));

  async function write(zip: ZipWriter): Promise<void> {
    const nameOf = createNames();
    const lost: string[] = [];
    for (let from = 0; from < ids.length; from += assetsAtOnce) {
      const part = from === 0 ? first : await read(ids.slice(from, from + assetsAtOnce));
      for (const asset of part.assets) {
        const name = nameOf(safeFileName(asset.title, asset.mime));
        const at = asset.createdAt;
        const compress = asset.kind === "text" || asset.kind === "file";
        if (!(await addFile(blobs, zip, name, asset, { compress, at }))) lost.push(name);
        const run = asset.runId ? part.runs.get(asset.runId) : undefined;
        const recipe = recipeOf(asset, run, part.inputs.get(asset.id));
        const json = Buffer.from(JSON.stringify(recipe, null, 2));
        await zip.addBytes(`${name}.recipe.json`, json, at);
      }
    }
    if (lost.length > 0) {
      const text = `${sentences.files.missingInArchive}\n\n${lost.join("\n")}\n`;
      await zip.addBytes(nameOf("missing files.txt"), Buffer.from(text));
    }
    zip.end();
  }

  return answerZip(c, "bottega.zip", clock.now(), write, (error) =>
    log.warn({ error: String(error) }, "a download of files was cut off"),
  );
}
