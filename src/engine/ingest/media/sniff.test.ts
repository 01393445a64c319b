import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import ffmpegInstaller from "@ffmpeg-installer/ffmpeg";
import sharp from "sharp";
import { expect, it } from "vitest";
import { createTempFolder } from "../../../../test/support/temp.ts";
import { sniffBytes, sniffType } from "./sniff.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const picture = sharp({ create: { width: 8, height: 8, channels: 3, background: "teal" } });

it.each(["jpeg", "png", "webp", "gif", "avif", "tiff"] as const)(
  "recognizes a %s picture by its bytes, whatever its name",
  async (format) => {
    const made = await picture.clone().toFormat(format).toBuffer();
    expect(await sniffType(made, "page.html")).toMatchObject({
      mime: `image/${format}`,
      kind: "image",
      inline: format !== "tiff",
    });
  },
);

it("refuses an empty file", async () => {
  await expect(sniffType(new Uint8Array(0), "a.png")).rejects.toMatchObject({
    code: "invalid_input",
  });
});

it.each([
  ["<!DOCTYPE html><p>hi", "text/html"],
  ["\ufeff \n<HTML>", "text/html"],
  ["<script>alert(1)</script>", "text/html"],
  ["<!-- a comment --><img src=x onerror=alert(1)>", "text/html"],
  ['<svg xmlns="http://www.w3.org/2000/svg"/>', "image/svg+xml"],
  ['<?xml version="1.0"?><!-- made by hand --><svg onload="alert(1)"/>', "image/svg+xml"],
  [
    '<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY a "b">]><s:svg xmlns:s="http://www.w3.org/2000/svg"/>',
    "image/svg+xml",
  ],
  ['<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"/>', "application/xhtml+xml"],
  ['<?xml version="1.0"?><feed/>', "application/xml"],
])("never displays the active document %j, even if its name ends in .png", async (text, mime) => {
  expect(await sniffType(bytes(text), "picture.png")).toMatchObject({ mime, inline: false });
});

it.each([
  ["just words", "notes.png", "text/plain", "text"],
  ["BM is how this sentence begins", "", "text/plain", "text"],
  ["caffè ☕", "readme.md", "text/markdown", "text"],
  ["a,b\n1,2\n", "t.csv", "text/csv", "text"],
  ['{"a":[1,2]}', "", "application/json", "text"],
  ["{ not json }", "", "text/plain", "text"],
  ['{"asset":{"version":"2.0"},"scenes":[]}', "", "model/gltf+json", "3d"],
  ["solid cube\n facet normal 0 0 1\n", "", "model/stl", "3d"],
  ["v 0 0 0\nf 1 1 1\n", "cube.obj", "model/obj", "3d"],
  ["ply\nformat ascii 1.0\n", "", "model/ply", "3d"],
  ["%PDF-1.4\n1 0 obj\n", "a.txt", "application/pdf", "file"],
  ["WEBVTT\n\n", "", "text/vtt", "text"],
])("recognizes %j named %j as %s", async (text, name, mime, kind) => {
  expect(await sniffType(bytes(text), name)).toMatchObject({ mime, kind });
});

it("recognizes text whose last character is cut by the read limit, and treats broken UTF-8 as unknown", async () => {
  const long = bytes("è".repeat(sniffBytes)).subarray(0, sniffBytes - 1);
  expect(await sniffType(long)).toMatchObject({ mime: "text/plain" });
  expect(await sniffType(Uint8Array.of(0x61, 0xff, 0xfe, 0x62), "a.txt")).toMatchObject({
    kind: "file",
    inline: false,
    extension: "txt",
  });
});

it("recognizes a PNG with 200 KB of text before its pixels, and a TIFF whose directory is at its end", async () => {
  const png = await picture.clone().png().toBuffer();
  // A tEXt chunk inserted after the header: length, type, data, checksum. Sniffing ignores the
  // checksum.
  const text = Buffer.concat([
    Buffer.from([0, 3, 0x0d, 0x40]),
    Buffer.from("tEXt", "latin1"),
    Buffer.alloc(200_000, "w"),
    Buffer.alloc(4),
  ]);
  const heavy = Buffer.concat([png.subarray(0, 33), text, png.subarray(33)]);
  expect(await sniffType(heavy.subarray(0, sniffBytes))).toMatchObject({
    mime: "image/png",
    inline: true,
  });
  const tiff = await sharp({ create: { width: 900, height: 600, channels: 3, background: "red" } })
    .tiff({ compression: "none" })
    .toBuffer();
  expect(await sniffType(tiff.subarray(0, sniffBytes))).toMatchObject({ mime: "image/tiff" });
});

it("recognizes MP3 after a tag longer than the read limit, glTF binary, and a zip named as a model", async () => {
  const tagged = new Uint8Array(sniffBytes);
  tagged.set([0x49, 0x44, 0x33, 3, 0, 0, 0x7f, 0x7f, 0x7f, 0x7f]);
  expect(await sniffType(tagged, "song.html")).toEqual({
    mime: "audio/mpeg",
    kind: "audio",
    extension: "mp3",
    inline: true,
  });
  const glb = new Uint8Array(32);
  glb.set([0x67, 0x6c, 0x54, 0x46, 2, 0, 0, 0]);
  expect(await sniffType(glb)).toMatchObject({ mime: "model/gltf-binary", kind: "3d" });
});

it("gives the matching extension, and keeps a matching one from the name", async () => {
  const made = await picture.clone().jpeg().toBuffer();
  expect((await sniffType(made, "a.JPEG")).extension).toBe("jpeg");
  expect((await sniffType(made, "a.png")).extension).toBe("jpg");
});

it.each([
  ["webm", ["-c:a", "libopus"], ["-c:v", "libvpx"]],
  ["mp4", ["-c:a", "aac", "-movflags", "frag_keyframe+empty_moov"], ["-c:v", "libx264"]],
])(
  "recognizes a %s file with only sound as audio, and one with pictures as video",
  async (extension, options, withPictures) => {
    const path = join(createTempFolder("sound"), `recorded.${extension}`);
    const make = async (more: string[]) => {
      await promisify(execFile)(ffmpegInstaller.path, [
        "-loglevel",
        "error",
        "-y",
        "-f",
        "lavfi",
        "-i",
        "sine=d=0.2",
        ...more,
        ...options,
        path,
      ]);
      return (await readFile(path)).subarray(0, sniffBytes);
    };
    expect(await sniffType(await make([]))).toMatchObject({
      mime: `audio/${extension}`,
      kind: "audio",
      inline: true,
    });
    const film = await make(["-f", "lavfi", "-i", "color=teal:s=64x64:d=0.2", ...withPictures]);
    expect(await sniffType(film)).toMatchObject({ mime: `video/${extension}`, kind: "video" });
  },
);
