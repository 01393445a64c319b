import type { Context } from "hono";
import { Problem } from "#contract/errors.ts";
import { sentences } from "#contract/sentences/index.ts";
import { createJsonScan, requestBounds } from "#domain/schemas/json-scan.ts";
import type { Env } from "./env.ts";
import { createSentFiles, type SentFiles } from "./files/sent-files.ts";

/** The JSON of a body, and the files extracted from it; none when the route takes no files. */
export type Body = { bytes: Uint8Array<ArrayBuffer>; files: SentFiles };

/**
 * Reads a JSON body, counting its depth and values as it arrives. Files in it (`data:` URLs) are
 * written to `filesFolder`.
 * @param isField whether a form may have it in its field `json`
 * @param most the size limit of the whole body in bytes
 * @throws Problem unsupported_media, too_large, invalid_input
 */
export async function readBody(
  c: Context<Env>,
  most: number,
  { filesFolder, isField = false }: { filesFolder?: string | undefined; isField?: boolean } = {},
): Promise<Body> {
  if (Number(c.req.header("content-length") ?? 0) > most) throw tooLarge(most);
  const scan = createJsonScan(requestBounds);
  const files = createSentFiles(filesFolder);
  let bytes = 0;
  const takesField = isField && isForm(c);
  try {
    for await (const chunk of takesField ? readField(c, most) : (c.req.raw.body ?? [])) {
      // A form on another site can send text without a preflight, but not JSON.
      if (bytes === 0 && !isJson(c) && !takesField)
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

/**
 * The field `json` of a form. It alone is decoded, because `URLSearchParams` holds up the server
 * for seconds if a form has a million fields.
 */
async function* readField(c: Context<Env>, most: number): AsyncGenerator<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of c.req.raw.body ?? []) {
    bytes += chunk.length;
    if (bytes > most) throw tooLarge(most);
    chunks.push(chunk);
  }
  const form = Buffer.concat(chunks).toString();
  yield Buffer.from(decodeField(/(?:^|&)json=([^&]*)/.exec(form)?.[1] ?? ""));
}

/** A malformed field stays as it is, which is no JSON. */
function decodeField(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return text;
  }
}

const hasType = (c: Context<Env>, type: string): boolean =>
  c.req.header("content-type")?.split(";")[0]?.trim().toLowerCase() === type;
export const isJson = (c: Context<Env>): boolean => hasType(c, "application/json");
/** Whether a page's form sent the request, not a script. */
export const isForm = (c: Context<Env>): boolean => hasType(c, "application/x-www-form-urlencoded");

function tooLarge(most: number): Problem {
  const size = most >= 1024 ** 2 ? `${most / 1024 ** 2} MB` : `${most / 1024} KB`;
  return new Problem("too_large", {
    message: sentences.files.textTooLong({ size }),
  });
}
