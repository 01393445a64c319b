import { parseBounded, requestBounds } from "../schemas/json-scan.ts";

/**
 * Packs a header and bytes into one binary message: the header's length in four bytes (big endian),
 * the header as JSON, then the bytes. Both directions of the live canvas's socket use it, in the
 * browser and on the server.
 */
export function packFrame(header: object, bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const head = new TextEncoder().encode(JSON.stringify(header));
  const packed = new Uint8Array(4 + head.length + bytes.length);
  new DataView(packed.buffer).setUint32(0, head.length);
  packed.set(head, 4);
  packed.set(bytes, 4 + head.length);
  return packed;
}

/** The header and a view of the bytes; undefined for anything that `packFrame` didn't create. */
export function unpackFrame(
  packed: Uint8Array,
): { header: unknown; bytes: Uint8Array } | undefined {
  if (packed.length < 4) return undefined;
  const length = new DataView(packed.buffer, packed.byteOffset, 4).getUint32(0);
  if (4 + length > packed.length) return undefined;
  try {
    const header = parseBounded(packed.subarray(4, 4 + length), requestBounds);
    return { header, bytes: packed.subarray(4 + length) };
  } catch {
    return undefined;
  }
}
