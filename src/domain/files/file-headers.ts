import { fileTypeOf, fileTypes, unknownFile } from "./file-types.ts";

const maxNameCharacters = 150;

/**
 * The headers of every stored file, regardless of its content: no sniffing, no scripts, no other
 * origin, and only pictures, audio, video and plain text may be shown instead of downloaded. `mime`
 * is the type that we detected, never the uploader's claim. The route sets caching and length.
 */
export function safeFileHeaders(file: {
  mime: string;
  name: string;
  download: boolean;
}): Record<string, string> {
  const type = fileTypeOf(file.mime);
  const isShown = type.inline && !file.download;
  return {
    "content-type":
      type.servedAs ?? (/^[a-z]+\/[a-z0-9.+-]+$/.test(file.mime) ? file.mime : unknownFile.mime),
    "content-disposition": contentDisposition(
      isShown ? "inline" : "attachment",
      safeFileName(file.name, file.mime),
    ),
    "x-content-type-options": "nosniff",
    "content-security-policy": "sandbox; default-src 'none'",
    "cross-origin-resource-policy": "same-origin",
  };
}

/**
 * A file name that every file system accepts and that matches the content: no path, no control or
 * direction-changing characters, not hidden, and with an extension of its own type ("song.html"
 * containing MP3 becomes "song.html.mp3").
 */
export function safeFileName(name: string, mime: string): string {
  const cleaned = name
    .toWellFormed()
    .normalize("NFC")
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "")
    .replace(/[<>:"/\\|?*]/g, "_")
    .replace(/^[.\s]+|[.\s]+$/g, "");
  const fits: readonly string[] = Object.hasOwn(fileTypes, mime) ? fileTypeOf(mime).extensions : [];
  const extension = /\.([^.]{1,12})$/.exec(cleaned)?.[1];
  const isRight =
    fits.length === 0 || (extension !== undefined && fits.includes(extension.toLowerCase()));
  const suffix = isRight ? (extension ? `.${extension}` : "") : `.${fits[0]}`;
  const stem = isRight && extension ? cleaned.slice(0, -extension.length - 1) : cleaned;
  const short = [...stem]
    .slice(0, maxNameCharacters)
    .join("")
    .replace(/[.\s]+$/, "");
  // Windows reserves these names for devices, with any extension.
  const isDevice = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i.test(short);
  return `${isDevice ? "_" : ""}${short || "file"}${suffix}`;
}

/** Formats RFC 6266 with the extended parameter of RFC 8187, and a plain one for older clients. */
export function contentDisposition(disposition: "inline" | "attachment", name: string): string {
  // A "%" in the plain form is decoded by some browsers and not by others (RFC 6266, appendix D).
  const plain = name.replace(/[^\x20-\x7e]|["%\\]/g, "_");
  const extended = encodeURIComponent(name).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${disposition}; filename="${plain}"; filename*=UTF-8''${extended}`;
}
