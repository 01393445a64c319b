/** Up to that many bytes from that offset, fewer at the end. */
export type ReadAt = (offset: number, bytes: number) => Uint8Array;

/** A stretch of a file. */
export type Span = { start: number; bytes: number };

/** What was read isn't what its format says: cut short, or with lengths that can't be. */
export class Malformed extends Error {}

/** @throws Malformed where there are fewer */
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

export const viewOf = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** Stretches of a file as if they followed each other. */
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
