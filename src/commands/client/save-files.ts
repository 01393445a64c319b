import { createWriteStream } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { Asset, Run } from "#contract/entities.ts";
import { recipeOf } from "#domain/files/recipe.ts";
import { untilReached } from "./again.ts";
import type { ApiClient } from "./api-client.ts";
import { Unreachable } from "./problems.ts";

export type SavedFile = { asset: Asset; path: string; recipe: string };

/** A run's file, with its recipe next to it like in a ZIP of the library. */
export async function saveFile(
  api: ApiClient,
  { asset, run, folder }: { asset: Asset; run: Run; folder: string },
  waitsMs: readonly number[] | undefined,
): Promise<SavedFile> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, fileName(asset));
  await untilReached(() => download(api, asset, path), waitsMs);
  const recipe = `${path}.recipe.json`;
  await writeFile(recipe, JSON.stringify(recipeOf(asset, run), null, 2));
  return { asset, path, recipe };
}

/** A name that no other file of the run has. */
function fileName({ id, title, mime }: Asset): string {
  const extension = (mime.split("/")[1] ?? "bin")
    .replace("jpeg", "jpg")
    .replace("svg+xml", "svg")
    .replace("plain", "txt")
    .replace(/^x-/, "")
    .replace(/[^\w.-]+/g, "");
  const words = title
    .normalize("NFKD")
    .replace(/[^\w-]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 60);
  return `${words || "bottega"}-${id.slice(-8)}.${extension || "bin"}`;
}

/**
 * Writes the file completely or not at all, so that an interrupted download leaves no file that
 * looks finished.
 * @throws Unreachable if it is interrupted
 */
async function download(api: ApiClient, { id, bytes }: Asset, path: string): Promise<void> {
  const partial = `${path}.part`;
  const cutOff = (cause?: unknown) =>
    new Unreachable(`${path} could not be downloaded completely. The file is in the library.`, {
      cause,
    });
  const whole = async function* (source: ReadableStream<Uint8Array> | null) {
    let receivedBytes = 0;
    try {
      for await (const chunk of source ?? []) {
        receivedBytes += chunk.length;
        yield chunk;
      }
    } catch (cause) {
      throw cutOff(cause);
    }
    if (receivedBytes !== bytes) throw cutOff();
  };
  try {
    const { body } = await api.file(id);
    await pipeline(whole(body), createWriteStream(partial));
    await rename(partial, path);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}
