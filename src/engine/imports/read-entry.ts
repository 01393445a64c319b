import { createHash } from "node:crypto";
import { Problem } from "#contract/errors.ts";
import { sentences } from "#contract/sentences/index.ts";
import { createJsonScan, type JsonBounds } from "#domain/schemas/json-scan.ts";

/** Passes the bytes on and computes their SHA-256, available after the last byte. */
export function hashing(source: AsyncIterable<Uint8Array>): {
  bytes: AsyncIterable<Uint8Array>;
  digest(): string;
} {
  const hash = createHash("sha256");
  async function* bytes(): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const chunk of source) {
      hash.update(chunk);
      yield chunk;
    }
  }
  return { bytes: bytes(), digest: () => hash.digest("hex") };
}

/**
 * Reads JSON into memory, counting it while it is inflated.
 * @throws Problem unsupported_media beyond `mostBytes`, invalid_input beyond `bounds`
 */
export async function takeJson(
  source: AsyncIterable<Uint8Array>,
  maxBytes: number,
  bounds: JsonBounds,
): Promise<Uint8Array<ArrayBuffer>> {
  const scan = createJsonScan(bounds);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of source) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw tooLong();
    scan.take(chunk);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/**
 * Yields lines without their line ends, one in memory at a time. Text after the last line end is a
 * line as well.
 * @throws Problem unsupported_media for a line beyond `mostBytes`
 */
export async function* readLines(
  source: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<Buffer<ArrayBuffer>, void, undefined> {
  let begun: Uint8Array[] = [];
  let begunBytes = 0;
  const take = (part: Uint8Array): void => {
    begunBytes += part.byteLength;
    if (begunBytes > maxBytes) throw tooLong();
    begun.push(part);
  };
  for await (const chunk of source) {
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      take(chunk.subarray(from, end));
      yield Buffer.concat(begun);
      begun = [];
      begunBytes = 0;
      from = end + 1;
    }
    take(chunk.subarray(from));
  }
  if (begunBytes > 0) yield Buffer.concat(begun);
}

const tooLong = (): Problem =>
  new Problem("unsupported_media", {
    message: sentences.imports.lineTooLong,
    field: "file",
  });
