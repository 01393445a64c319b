import { type ReadAt, readWhole, type Span, tagAt } from "./file-bytes.ts";
import { listBoxes } from "./jumbf.ts";

/** The locations of a file's JUMBF boxes, each in one or more pieces, and of its XMP. */
export type Metadata = { jumbf: Span[][]; xmp: Span[] };

/** Bounds the loop over a malformed file: JPEG segments, PNG and RIFF chunks, video boxes. */
const maxParts = 10_000;
/** The most pieces of one JUMBF box in a JPEG: 65 MB. */
const maxPieces = 1_000;
const maxFound = 8;

const xmpSegment = "http://ns.adobe.com/xap/1.0/\0";
const xmpText = "XML:com.adobe.xmp\0";
const c2paBox = "uuid d8fec3d61b0e483c92975828877ec481";
const xmpBox = "uuid be7acfcb97a942e89c71999491e3afac";

/**
 * Scans the parts of a JPEG, PNG, RIFF (WebP, WAV) or ISO base media file (AVIF, HEIC, MP4) without
 * decoding the picture. Keeps what it found before a damaged or truncated part.
 */
export function findMetadata(readAt: ReadAt, size: number): Metadata {
  const found: Metadata = { jumbf: [], xmp: [] };
  const find = finderFor(readAt(0, 12));
  if (find) find(readAt, size, found);
  return found;
}

type Finder = (readAt: ReadAt, size: number, found: Metadata) => void;

function finderFor(head: Uint8Array): Finder | undefined {
  const text = latin1(head);
  if (text.startsWith("\xff\xd8\xff")) return findInJpeg;
  if (text.startsWith("\x89PNG\r\n\x1a\n")) return findInPng;
  if (text.startsWith("RIFF")) return findInRiff;
  return text.slice(4, 8) === "ftyp" ? findInFilm : undefined;
}

const latin1 = (bytes: Uint8Array): string => String.fromCharCode(...bytes);
const hexOf = (text: string): string =>
  Array.from(text, (char) => char.charCodeAt(0).toString(16).padStart(2, "0")).join("");
const startsWith = (readAt: ReadAt, offset: number, text: string): boolean =>
  latin1(readAt(offset, text.length)) === text;

/**
 * Scans the segments before the picture. JUMBF is in APP11, in pieces that each have the number of
 * their box and their own (ISO/IEC 19566-5, D.2).
 */
function findInJpeg(readAt: ReadAt, size: number, found: Metadata): void {
  const pieces = new Map<number, Span[]>();
  for (let at = 2, parts = 0; at + 4 <= size && parts < maxParts; parts += 1) {
    const head = readAt(at, 4);
    const [sign, marker] = head;
    // Any number of 0xff bytes may precede a marker.
    if (sign !== 0xff || marker === undefined || head.length < 4) break;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    // The start of the picture or the end of the file.
    if (marker === 0xda || marker === 0xd9) break;
    const bytes = head[2]! * 256 + head[3]!;
    if (bytes < 2 || at + 2 + bytes > size) break;
    const span = { start: at + 4, bytes: bytes - 2 };
    if (marker === 0xeb) addPiece(readAt, span, pieces);
    if (marker === 0xe1 && startsWith(readAt, span.start, xmpSegment)) addXmp(found, span);
    at += 2 + bytes;
  }
  found.jumbf = [...pieces.values()];
}

function addPiece(readAt: ReadAt, { start, bytes }: Span, pieces: Map<number, Span[]>): void {
  const headBytes = 16;
  if (bytes < headBytes || !startsWith(readAt, start, "JP")) return;
  const head = readWhole(readAt, start, headBytes);
  const box = head.getUint16(2);
  const number = head.getUint32(4);
  const before = pieces.get(box) ?? [];
  if (number !== before.length + 1 || number > maxPieces) return;
  if (number === 1 && pieces.size === maxFound) return;
  // Each piece repeats the box header; only the first piece's copy is part of the box.
  const repeated = number === 1 ? 0 : head.getUint32(8) === 1 ? 16 : 8;
  if (bytes < 8 + repeated) return;
  before.push({ start: start + 8 + repeated, bytes: bytes - 8 - repeated });
  pieces.set(box, before);
}

function findInPng(readAt: ReadAt, size: number, found: Metadata): void {
  for (let at = 8, parts = 0; at + 12 <= size && parts < maxParts; parts += 1) {
    const head = readWhole(readAt, at, 8);
    const type = tagAt(head, 4);
    const span = { start: at + 8, bytes: head.getUint32(0) };
    if (type === "IEND" || span.start + span.bytes > size) break;
    if (type === "caBX") addJumbf(found, span);
    if (type === "iTXt" && startsWith(readAt, span.start, xmpText)) addXmp(found, span);
    at += 12 + span.bytes;
  }
}

function findInRiff(readAt: ReadAt, size: number, found: Metadata): void {
  for (let at = 12, parts = 0; at + 8 <= size && parts < maxParts; parts += 1) {
    const head = readWhole(readAt, at, 8);
    const type = tagAt(head, 0);
    const span = { start: at + 8, bytes: head.getUint32(4, true) };
    if (span.start + span.bytes > size) break;
    if (type === "C2PA") addJumbf(found, span);
    if (type === "XMP " || type === "_PMX") addXmp(found, span);
    // Chunks begin at even offsets.
    at += 8 + span.bytes + (span.bytes % 2);
  }
}

function findInFilm(readAt: ReadAt, size: number, found: Metadata): void {
  for (const box of listBoxes(readAt, { start: 0, end: size }, { boxesLeft: maxParts })) {
    const head = latin1(readAt(box.start, Math.min(box.end - box.start, 64)));
    const name = `${box.type} ${hexOf(head.slice(0, 16))}`;
    // After the UUID: version and flags, the box's purpose, and the offset of the next such box.
    const purpose = "manifest\0";
    const start = box.start + 16 + 4 + purpose.length + 8;
    if (name === c2paBox && head.startsWith(purpose, 20) && start <= box.end)
      addJumbf(found, { start, bytes: box.end - start });
    if (name === xmpBox) addXmp(found, { start: box.start + 16, bytes: box.end - box.start - 16 });
  }
}

function addJumbf({ jumbf }: Metadata, span: Span): void {
  if (jumbf.length < maxFound) jumbf.push([span]);
}

function addXmp({ xmp }: Metadata, span: Span): void {
  if (xmp.length < maxFound) xmp.push(span);
}
