import { Malformed, type ReadAt, readWhole, tagAt } from "./file-bytes.ts";

/** A box of ISO/IEC 19566-5, with the layout of ISO base media files: length, type, content. */
export type Box = { type: string; start: number; end: number };

/** A box with a description: its type, its label, and the boxes inside it. */
export type SuperBox = { uuid: string; label: string; boxes: Box[] };

/** How many more boxes may be read of a file, to bound the loop over a malformed one. */
export type Budget = { boxesLeft: number };

const maxDescription = 512;
const hasLabel = 2;

/** Lists the boxes in a range, up to one that exceeds the range. */
export function listBoxes(
  readAt: ReadAt,
  { start, end }: Pick<Box, "start" | "end">,
  budget: Budget,
): Box[] {
  const boxes: Box[] = [];
  for (let at = start; at + 8 <= end && budget.boxesLeft > 0; budget.boxesLeft -= 1) {
    const header = readWhole(readAt, at, 8);
    const { bytes, headerBytes } = readLength(readAt, at, header.getUint32(0), end);
    // Compares lengths instead of "at + bytes > end", because a 64-bit length may exceed the range
    // of exact numbers.
    if (bytes < headerBytes || bytes > end - at) break;
    boxes.push({ type: tagAt(header, 4), start: at + headerBytes, end: at + bytes });
    at += bytes;
  }
  return boxes;
}

/** 0 means that the box extends to the end, 1 that a longer number follows. */
function readLength(readAt: ReadAt, at: number, length: number, end: number) {
  if (length === 0) return { bytes: end - at, headerBytes: 8 };
  if (length !== 1 || at + 16 > end) return { bytes: length, headerBytes: 8 };
  return { bytes: Number(readWhole(readAt, at + 8, 8).getBigUint64(0)), headerBytes: 16 };
}

/** @throws Malformed if the box doesn't start with a description */
export function openSuperBox(readAt: ReadAt, box: Box, budget: Budget): SuperBox {
  const [description, ...boxes] = listBoxes(readAt, box, budget);
  if (box.type !== "jumb" || description?.type !== "jumd") throw new Malformed("no description");
  const { start, end } = description;
  const bytes = readAt(start, Math.min(end - start, maxDescription));
  if (bytes.length < 17) throw new Malformed("a description ends early");
  const labelEnd = bytes.indexOf(0, 17);
  return {
    uuid: Array.from(bytes.subarray(0, 16), (byte) => byte.toString(16).padStart(2, "0")).join(""),
    label:
      bytes[16]! & hasLabel && labelEnd >= 0
        ? new TextDecoder().decode(bytes.subarray(17, labelEnd))
        : "",
    boxes,
  };
}
