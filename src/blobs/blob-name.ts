import { Problem } from "#contract/errors.ts";
import { sentences } from "#contract/sentences/index.ts";
import type { ByteRange } from "./blob-store.ts";

const sha256Pattern = /^[0-9a-f]{64}$/;
const variantPattern = /^[a-z0-9][a-z0-9-]{0,63}\.[a-z0-9]{1,8}$/;

export function isSha256(name: string): boolean {
  return sha256Pattern.test(name);
}

/**
 * Names become paths and keys, so only a hash is accepted.
 * @throws Problem("not_found") otherwise, because no such name can exist
 */
export function checkSha256(sha256: string): string {
  if (!isSha256(sha256)) throw new Problem("not_found");
  return sha256;
}

/**
 * Accepts a plain lower-case file name.
 * @throws Problem("not_found") otherwise
 */
export function checkVariant(variant: string): string {
  if (!variantPattern.test(variant)) throw new Problem("not_found");
  return variant;
}

/** "ab/cd/abcd...": no folder grows past what a file system lists quickly (65,536 folders). */
export function shardedPath(sha256: string): string {
  return `${sha256.slice(0, 2)}/${sha256.slice(2, 4)}/${sha256}`;
}

/**
 * The range inside `bytes`, with its end cut to the last byte (RFC 9110, 14.1.2).
 * @throws Problem("invalid_input") if none of it exists
 */
export function checkRange(range: ByteRange, bytes: number): ByteRange {
  const { start, end } = range;
  const isWhole = Number.isSafeInteger(start) && Number.isSafeInteger(end);
  if (!isWhole || start < 0 || end < start || start >= bytes) throw impossibleRange();
  return { start, end: Math.min(end, bytes - 1) };
}

export function impossibleRange(): Problem {
  return new Problem("invalid_input", {
    field: "range",
    message: sentences.files.noSuchPart,
  });
}
