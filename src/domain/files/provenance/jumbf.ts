import { Malformed, type ReadAt, readWhole, tagAt } from "./file-bytes.ts";

/** A box of ISO/IEC 19566-5, as ISO base media files have them too: a length, a name, and then what is in it. */
export type Box = { type: string; start: number; end: number };

/** One with a description: what it is, its name among its like, and the boxes in it. */
export type SuperBox = { uuid: string; label: string; boxes: Box[] };

/** What may still be read of a file: a loop over rubbish must end. */
export type Budget = { boxesLeft: number };

const descriptionMost = 512;
const hasLabel = 2;

/** The boxes in a stretch, up to one that is longer than what holds it. */
export function listBoxes(
  readAt: ReadAt,
  { start, end }: Pick<Box, "start" | "end">,
  budget: Budget,
): Box[] {
  const boxes: Box[] = [];
  for (let at = start; at + 8 <= end && budget.boxesLeft > 0; budget.boxesLeft -= 1) {
    const header = readWhole(readAt, at, 8);
    const { bytes, headerBytes } = readLength(readAt, at, header.getUint32(0), end);
    // Not "at + bytes > end": a length of 64 bits may be past exact numbers.
    if (bytes < headerBytes || bytes > end - at) break;
    boxes.push({ type: tagAt(header, 4), start: at + headerBytes, end: at + bytes });
    at += bytes;
  }
  return boxes;
}

/** 0 is "up to the end", 1 "a longer number follows". */
function readLength(readAt: ReadAt, at: number, length: number, end: number) {
  if (length === 0) return { bytes: end - at, headerBytes: 8 };
  if (length !== 1 || at + 16 > end) return { bytes: length, headerBytes: 8 };
  return { bytes: Number(readWhole(readAt, at + 8, 8).getBigUint64(0)), headerBytes: 16 };
}

/** @throws Malformed where the box has no description, which is its first */
export function openSuperBox(readAt: ReadAt, box: Box, budget: Budget): SuperBox {
  const [description, ...boxes] = listBoxes(readAt, box, budget);
  if (box.type !== "jumb" || description?.type !== "jumd") throw new Malformed("no description");
  const { start, end } = description;
  const bytes = readAt(start, Math.min(end - start, descriptionMost));
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
