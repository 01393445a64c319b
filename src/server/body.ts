import type { Context } from "hono";
import { Problem } from "#contract/errors.ts";
import { sentences } from "#contract/sentences/index.ts";
import { createJsonScan, requestBounds } from "#domain/schemas/json-scan.ts";
import type { Env } from "./env.ts";
import { createSentFiles, type SentFiles } from "./files/sent-files.ts";

/** A body's JSON, and the files that left it on the way: none where the route takes none. */
export type Body = { bytes: Uint8Array<ArrayBuffer>; files: SentFiles };

/**
 * Reads a body of JSON, counting its depth and values as it arrives. Files in it (`data:` addresses) go to `filesFolder`.
 * @param most bytes of the whole body @throws Problem unsupported_media, too_large, invalid_input
 */
export async function readBody(c: Context<Env>, most: number, filesFolder?: string): Promise<Body> {
  if (Number(c.req.header("content-length") ?? 0) > most) throw tooLarge(most);
  const scan = createJsonScan(requestBounds);
  const files = createSentFiles(filesFolder);
  let bytes = 0;
  try {
    for await (const chunk of c.req.raw.body ?? []) {
      // A form of another site can send text without asking; JSON it can't.
      if (bytes === 0 && !isJson(c))
        throw new Problem("unsupported_media", { message: sentences.api.jsonNeeded });
      bytes += chunk.length;
      if (bytes > most) throw tooLarge(most);
      await files.take(chunk, scan);
    }
    return { bytes: files.text(), files };
  } catch (error) {
    await files.remove();
    throw error;
  }
}

const isJson = (c: Context<Env>): boolean =>
  /^application\/json\b/i.test(c.req.header("content-type") ?? "");

function tooLarge(most: number): Problem {
  const size = most >= 1024 ** 2 ? `${most / 1024 ** 2} MB` : `${most / 1024} KB`;
  return new Problem("too_large", {
    message: sentences.files.textTooLong({ size }),
  });
}
