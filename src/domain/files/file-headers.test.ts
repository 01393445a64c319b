import { expect, it } from "vitest";
import { safeFileHeaders, safeFileName } from "./file-headers.ts";
import { fileTypes } from "./file-types.ts";

it("serves every file without sniffing, in a sandbox that loads nothing, to our own origin alone", () => {
  for (const mime of [...Object.keys(fileTypes), "application/x-unheard-of"]) {
    expect(safeFileHeaders({ mime, name: "a", download: false })).toMatchObject({
      "x-content-type-options": "nosniff",
      "content-security-policy": "sandbox; default-src 'none'",
      "cross-origin-resource-policy": "same-origin",
    });
  }
});

it.each([
  "image/svg+xml",
  "text/html",
  "application/xhtml+xml",
  "application/xml",
  "application/pdf",
  "application/x-unheard-of",
  "constructor",
])("%s is only ever downloaded", (mime) => {
  expect(safeFileHeaders({ mime, name: "x", download: false })["content-disposition"]).toMatch(
    /^attachment;/,
  );
});

it("shows pictures, sound, video and plain text inline, unless a download was requested", () => {
  for (const mime of ["image/png", "audio/mpeg", "video/mp4", "text/plain"]) {
    expect(safeFileHeaders({ mime, name: "x", download: false })["content-disposition"]).toMatch(
      /^inline;/,
    );
    expect(safeFileHeaders({ mime, name: "x", download: true })["content-disposition"]).toMatch(
      /^attachment;/,
    );
  }
});

it("never sends a type that a browser would run, nor one that would break the header", () => {
  const contentType = (mime: string) =>
    safeFileHeaders({ mime, name: "x", download: false })["content-type"];
  expect(contentType("text/html")).toBe("application/octet-stream");
  expect(contentType("text/markdown")).toBe("text/plain; charset=utf-8");
  expect(contentType("text/html\r\nset-cookie: a=b")).toBe("application/octet-stream");
});

it("gives a name in both forms of RFC 6266, and no name can end the header", () => {
  const disposition = (name: string) =>
    safeFileHeaders({ mime: "image/png", name, download: true })["content-disposition"];
  expect(disposition("Caffè (1)'s 50%.png")).toBe(
    `attachment; filename="Caff_ (1)'s 50_.png"; filename*=UTF-8''Caff%C3%A8%20%281%29%27s%2050%25.png`,
  );
  for (const name of [
    'a"; filename="evil.exe',
    "a\r\nset-cookie: b=c",
    "\u0000\ud800",
    "../../etc/passwd",
    "絵.png",
    "",
  ]) {
    expect(disposition(name)).toMatch(
      /^attachment; filename="[\x20-\x21\x23-\x5b\x5d-\x7e]+\.png"; filename\*=UTF-8''[A-Za-z0-9!#$&+.^_`|~%-]+$/,
    );
  }
});

it.each([
  ["song.html", "audio/mpeg", "song.html.mp3"],
  ["photo.JPG", "image/jpeg", "photo.JPG"],
  ["photo", "image/png", "photo.png"],
  ["../../secret/.profile", "text/plain", "_.._secret_.profile.txt"],
  ["cod\u202egpj.exe", "image/png", "codgpj.exe.png"],
  ["aux.png", "image/png", "_aux.png"],
  ["data.tar.gz", "application/gzip", "data.tar.gz"],
  ["..", "image/png", "file.png"],
  ["", "application/octet-stream", "file"],
])("names %j of %s as %j", (name, mime, safe) => {
  expect(safeFileName(name, mime)).toBe(safe);
});

it("shortens a name of 4,000 characters and keeps its extension", () => {
  expect(safeFileName(`${"é".repeat(4_000)}.webp`, "image/webp")).toBe(`${"é".repeat(150)}.webp`);
});
