import type { ByteRange } from "#blobs/blob-store.ts";
import { Problem } from "#contract/errors.ts";
import { sentences } from "#contract/sentences/index.ts";

/**
 * Parses a single range (RFC 9110, 14.1.2). Several ranges are answered with the whole file.
 * @throws Problem invalid_input for a range past the end
 */
export function parseRange(header: string | undefined, bytes: number): ByteRange | undefined {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header ?? "");
  if (!match || (match[1] === "" && match[2] === "")) return undefined;
  const start = match[1] === "" ? Math.max(0, bytes - Number(match[2])) : Number(match[1]);
  const end =
    match[1] === "" || match[2] === "" ? bytes - 1 : Math.min(Number(match[2]), bytes - 1);
  if (start > end || start >= bytes)
    throw new Problem("invalid_input", {
      message: sentences.files.noSuchRange,
      range: true,
    });
  return { start, end };
}
