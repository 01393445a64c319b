/** Reads up to `bytes` bytes from an offset, fewer at the end of the file. */
export type ReadAt = (offset: number, bytes: number) => Uint8Array;

/** A range of a file. */
export type Span = { start: number; bytes: number };

/** The data doesn't follow its format: it is truncated or has impossible lengths. */
export class Malformed extends Error {}

/**
 * Reads exactly this many bytes.
 * @throws Malformed if there are fewer
 */
export function readWhole(readAt: ReadAt, offset: number, bytes: number): DataView {
  const read = readAt(offset, bytes);
  if (read.length < bytes) throw new Malformed("the bytes end early");
  return viewOf(read);
}

/** Four letters, as formats name their parts. */
export const tagAt = (view: DataView, at: number): string =>
  String.fromCharCode(
    view.getUint8(at),
    view.getUint8(at + 1),
    view.getUint8(at + 2),
    view.getUint8(at + 3),
  );

const viewOf = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** Presents ranges of a file as one contiguous range. */
export function joinSpans(
  readAt: ReadAt,
  spans: readonly Span[],
): { readAt: ReadAt; size: number } {
  const size = spans.reduce((sum, { bytes }) => sum + bytes, 0);
  return {
    size,
    readAt(offset, bytes) {
      const joined = new Uint8Array(Math.max(0, Math.min(bytes, size - offset)));
      let spanOffset = 0;
      for (const span of spans) {
        const from = Math.max(offset, spanOffset);
        const to = Math.min(offset + joined.length, spanOffset + span.bytes);
        if (from < to) {
          const part = readAt(span.start + from - spanOffset, to - from);
          joined.set(part, from - offset);
          if (part.length < to - from) return joined.subarray(0, from - offset + part.length);
        }
        spanOffset += span.bytes;
        if (spanOffset >= offset + joined.length) break;
      }
      return joined;
    },
  };
}
