import type { Modality } from "#contract/tasks.ts";

export type FileType = {
  kind: Modality;
  /** The first is used for downloads; the others may stay in a name. */
  extensions: readonly [string, ...string[]];
  /** Whether browsers may show the file from our address; all other files are only downloaded. */
  inline: boolean;
  /** The Content-Type to send if the true one would make a browser run the file. */
  servedAs?: string;
};

const text = "text/plain; charset=utf-8";
const unknown = "application/octet-stream";

/**
 * The file types that Bottega knows. Any other file is a plain download. Documents that can contain
 * scripts (SVG, HTML, XML, PDF) are never inline. Scripts and style sheets aren't served as such,
 * so that a stored file can't become part of our own page under `script-src 'self'`.
 */
export const fileTypes: Readonly<Record<string, FileType>> = {
  "image/jpeg": { kind: "image", extensions: ["jpg", "jpeg", "jpe", "jfif"], inline: true },
  "image/png": { kind: "image", extensions: ["png"], inline: true },
  "image/apng": { kind: "image", extensions: ["png", "apng"], inline: true },
  "image/webp": { kind: "image", extensions: ["webp"], inline: true },
  "image/gif": { kind: "image", extensions: ["gif"], inline: true },
  "image/avif": { kind: "image", extensions: ["avif"], inline: true },
  "image/tiff": { kind: "image", extensions: ["tif", "tiff"], inline: false },
  "image/svg+xml": { kind: "image", extensions: ["svg"], inline: false },

  "video/mp4": { kind: "video", extensions: ["mp4", "m4v"], inline: true },
  "video/webm": { kind: "video", extensions: ["webm"], inline: true },
  "video/quicktime": { kind: "video", extensions: ["mov", "qt"], inline: true },
  "video/matroska": {
    kind: "video",
    extensions: ["mkv"],
    inline: true,
    servedAs: "video/x-matroska",
  },
  "video/ogg": { kind: "video", extensions: ["ogv", "ogg"], inline: true },
  "video/mpeg": { kind: "video", extensions: ["mpg", "mpeg"], inline: false },
  "video/mp2t": { kind: "video", extensions: ["ts", "mts", "m2ts"], inline: false },
  "video/vnd.avi": { kind: "video", extensions: ["avi"], inline: false },
  "video/x-flv": { kind: "video", extensions: ["flv"], inline: false },
  "video/3gpp": { kind: "video", extensions: ["3gp"], inline: false },

  "audio/mpeg": { kind: "audio", extensions: ["mp3", "mp2", "mpga"], inline: true },
  "audio/wav": { kind: "audio", extensions: ["wav", "wave"], inline: true },
  "audio/ogg": { kind: "audio", extensions: ["ogg", "oga", "opus"], inline: true },
  "audio/flac": { kind: "audio", extensions: ["flac"], inline: true },
  "audio/aac": { kind: "audio", extensions: ["aac"], inline: true },
  "audio/webm": { kind: "audio", extensions: ["webm", "weba"], inline: true },
  "audio/mp4": { kind: "audio", extensions: ["m4a", "mp4", "m4b"], inline: true },
  "audio/aiff": { kind: "audio", extensions: ["aiff", "aif"], inline: false },
  "audio/amr": { kind: "audio", extensions: ["amr"], inline: false },

  "model/gltf-binary": { kind: "3d", extensions: ["glb"], inline: false },
  "model/gltf+json": { kind: "3d", extensions: ["gltf"], inline: false },
  "model/stl": { kind: "3d", extensions: ["stl"], inline: false },
  "model/obj": { kind: "3d", extensions: ["obj"], inline: false },
  "model/ply": { kind: "3d", extensions: ["ply"], inline: false },
  "model/3mf": { kind: "3d", extensions: ["3mf"], inline: false },
  "model/vnd.usdz+zip": { kind: "3d", extensions: ["usdz"], inline: false },
  "model/vnd.fbx": { kind: "3d", extensions: ["fbx"], inline: false },

  "text/plain": { kind: "text", extensions: ["txt", "text", "log"], inline: true, servedAs: text },
  "text/markdown": { kind: "text", extensions: ["md", "markdown"], inline: true, servedAs: text },
  "text/csv": { kind: "text", extensions: ["csv"], inline: true, servedAs: text },
  "text/vtt": {
    kind: "text",
    extensions: ["vtt"],
    inline: true,
    servedAs: "text/vtt; charset=utf-8",
  },
  "application/json": { kind: "text", extensions: ["json", "jsonl"], inline: true },
  "text/html": { kind: "text", extensions: ["html", "htm"], inline: false, servedAs: unknown },
  "application/xhtml+xml": {
    kind: "text",
    extensions: ["xhtml", "xht"],
    inline: false,
    servedAs: unknown,
  },
  "application/xml": { kind: "text", extensions: ["xml"], inline: false, servedAs: unknown },

  "application/pdf": { kind: "file", extensions: ["pdf"], inline: false },
  "application/zip": { kind: "file", extensions: ["zip"], inline: false },
};

export const unknownFile = {
  mime: unknown,
  type: { kind: "file", extensions: ["bin"], inline: false } satisfies FileType,
};

/** Reads own properties only, so that a type named "constructor" is unknown too. */
export function fileTypeOf(mime: string): FileType {
  return (Object.hasOwn(fileTypes, mime) ? fileTypes[mime] : undefined) ?? unknownFile.type;
}
