import { Problem } from "#contract/errors.ts";
import { sentences } from "#contract/sentences/index.ts";
import type { Modality } from "#contract/tasks.ts";
import { fileTypeOf, unknownFile } from "#domain/files/file-types.ts";
import { sniffText } from "./sniff-text.ts";

/** How much of a file's beginning sniffing needs: containers declare their content within it. */
export const sniffBytes = 64 * 1024;

/**
 * `extension` has no dot. `inline` means that a browser may show the file from our address; others
 * are only downloaded.
 */
export type SniffedType = { mime: string; kind: Modality; extension: string; inline: boolean };

/** Names that file-type uses for the same types. */
const sameTypes: Readonly<Record<string, string>> = {
  "audio/x-m4a": "audio/mp4",
  "video/x-m4v": "video/mp4",
  "audio/vnd.wave": "audio/wav",
  "audio/x-wav": "audio/wav",
  "video/x-matroska": "video/matroska",
  "video/3gpp2": "video/3gpp",
  "video/MP1S": "video/mpeg",
  "video/MP2P": "video/mpeg",
};

/**
 * Formats for which file-type looks further than the sniffed part: past a cover picture in an ID3
 * tag, past a 100 KB workflow in a PNG's text, or at a TIFF's directory, which may be at its end.
 */
const cutOff: readonly (readonly [signature: string, mime: string])[] = [
  ["ID3", "audio/mpeg"],
  ["\x89PNG\r\n\x1a\n", "image/png"],
  ["II*\0", "image/tiff"],
  ["MM\0*", "image/tiff"],
];

/**
 * Detects a file's type from its first bytes (`sniffBytes` of them, or all). The name only decides
 * between types with the same bytes, none of which a browser shows.
 * @throws Problem invalid_input for an empty file
 */
export async function sniffType(head: Uint8Array, name = ""): Promise<SniffedType> {
  if (head.byteLength === 0)
    throw new Problem("invalid_input", { field: "file", message: sentences.files.empty });
  const named = /\.([A-Za-z0-9]{1,10})$/.exec(name)?.[1]?.toLowerCase() ?? "";
  // Text comes first, because many sentences begin with a two-letter signature ("BM" for a bitmap).
  const mime = sniffText(head, named) ?? (await sniffBinary(head, named));
  const type = fileTypeOf(mime);
  return { mime, kind: type.kind, extension: extensionOf(mime, named), inline: type.inline };
}

function extensionOf(mime: string, named: string): string {
  const { extensions } = fileTypeOf(mime);
  if (extensions === unknownFile.type.extensions) return named || "bin";
  return extensions.includes(named) ? named : extensions[0];
}

async function sniffBinary(head: Uint8Array, named: string): Promise<string> {
  if (startsWith(head, "Kaydara FBX Binary")) return "model/vnd.fbx";
  if (startsWith(head, "ply\n") || startsWith(head, "ply\r\n")) return "model/ply";
  const { fileTypeFromBuffer } = await import("file-type");
  const found = await fileTypeFromBuffer(head).catch(() => undefined);
  if (found?.mime === "application/zip" && named === "usdz") return "model/vnd.usdz+zip";
  if (found) {
    const mime = found.mime.split(";")[0]!;
    return soundAlone(head, sameTypes[mime] ?? mime);
  }
  const start = cutOff.find(([signature]) => startsWith(head, signature));
  if (start) return start[1];
  return named === "stl" ? "model/stl" : unknownFile.mime;
}

/**
 * Detects video containers with audio only, as browsers record a microphone. Their headers declare
 * the tracks.
 */
function soundAlone(head: Uint8Array, mime: string): string {
  const text = Buffer.from(head.buffer, head.byteOffset, head.byteLength).toString("latin1");
  // Codec ids of the WebM container guidelines.
  if (mime === "video/webm")
    return /A_(OPUS|VORBIS)/.test(text) && !/V_(VP8|VP9|AV1)/.test(text) ? "audio/webm" : mime;
  // Track handlers (ISO/IEC 14496-12, 8.4.3).
  if (mime === "video/mp4")
    return /hdlr.{8}soun/s.test(text) && !/hdlr.{8}vide/s.test(text) ? "audio/mp4" : mime;
  return mime;
}

function startsWith(head: Uint8Array, ascii: string): boolean {
  return (
    Buffer.from(head.buffer, head.byteOffset, Math.min(head.byteLength, ascii.length)).toString(
      "latin1",
    ) === ascii
  );
}
