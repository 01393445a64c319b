import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { crc32, deflateSync } from "node:zlib";
import ffmpegInstaller from "@ffmpeg-installer/ffmpeg";
import sharp from "sharp";
import { thumbHashToApproximateAspectRatio } from "thumbhash";
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from "vitest";
import type { BlobStore } from "#blobs/blob-store.ts";
import { openBlobStore } from "#blobs/open-storage.ts";
import { startS3 } from "../../../../test/simulators/s3/s3.ts";
import { floodSide, floods } from "../../../../test/support/animation-floods.ts";
import { openScratchDisk } from "../../../../test/support/databases/small-disk.ts";
import { heicPhoto } from "../../../../test/support/heic.ts";
import { buildWav } from "../../../../test/support/wav.ts";
import { createMedia, type Media } from "./media.ts";
import { sniffType } from "./sniff.ts";

// Real files, threads and programs, on a machine that may be busy.
vi.setConfig({ testTimeout: 30_000 });

const runFile = promisify(execFile);

let folder: string;
let blobs: BlobStore;
let media: Media;
let mediaWithoutFfmpeg: Media;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "bottega-media-test-"));
  blobs = openBlobStore(undefined, folder, {});
  media = createMedia({ blobs, ffmpegPath: ffmpegInstaller.path });
  mediaWithoutFfmpeg = createMedia({ blobs, ffmpegPath: join(folder, "no-such-program") });
});
afterAll(async () => {
  await media.close();
  await mediaWithoutFfmpeg.close();
  await rm(folder, { recursive: true, force: true });
});

async function* once(bytes: Uint8Array) {
  yield bytes;
}

/** Stores, sniffs and describes a file like the engine. */
async function describeFile(bytes: Uint8Array, reader = media, store = blobs) {
  const { sha256 } = await store.put(once(bytes));
  const sniffed = await sniffType(bytes.subarray(0, 65_536));
  return { sha256, facts: await reader.describe(sha256, sniffed) };
}

async function variantSize(sha256: string, variant: string, store = blobs) {
  const { format, width, height } = await sharp(await store.getVariant(sha256, variant)).metadata();
  return { format, width, height };
}

const thumbs = ["thumb-320.webp", "thumb-640.webp", "thumb-1280.webp"];
const gradient = (width: number, height: number) => {
  const pixels = Buffer.alloc(
    width * height * 3,
    Buffer.from([200, 40, 90, 20, 60, 180, 250, 250, 10]),
  );
  return sharp(pixels, { raw: { width, height, channels: 3 } });
};

/** ffmpeg's test picture and tone, two seconds. */
async function makeFilm(name: string, ...options: string[]): Promise<Buffer> {
  const path = join(folder, name);
  const inputs = [
    "-f",
    "lavfi",
    "-i",
    "testsrc=size=320x180:rate=10:duration=2",
    "-f",
    "lavfi",
    "-i",
    "sine=frequency=440:duration=2",
  ];
  await runFile(ffmpegInstaller.path, ["-loglevel", "error", "-y", ...inputs, ...options, path]);
  return readFile(path);
}

/** A PNG whose header declares any size, with a correct checksum and almost no data. */
function bombPng(width: number, height: number): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
    const frame = Buffer.alloc(8);
    frame.writeUInt32BE(data.length, 0);
    frame.writeUInt32BE(crc32(body), 4);
    return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(Buffer.alloc(1_000))),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

it.each(["jpeg", "png", "webp", "gif", "avif", "tiff"] as const)(
  "measures a %s and makes three WebP thumbnails and a thumbhash",
  async (format) => {
    const { sha256, facts } = await describeFile(
      await gradient(900, 600).toFormat(format).toBuffer(),
    );
    expect(facts).toMatchObject({ width: 900, height: 600, durationMs: null, variants: thumbs });
    expect(await variantSize(sha256, "thumb-320.webp")).toEqual({
      format: "webp",
      width: 320,
      height: 213,
    });
    expect(await variantSize(sha256, "thumb-640.webp")).toEqual({
      format: "webp",
      width: 640,
      height: 427,
    });
    expect(
      thumbHashToApproximateAspectRatio(Buffer.from(facts.thumbhash!, "base64")),
    ).toBeGreaterThan(1.2);
  },
);

it("never enlarges: a small picture's thumbnails keep its size", async () => {
  const { sha256, facts } = await describeFile(await gradient(50, 40).png().toBuffer());
  for (const name of facts.variants)
    expect(await variantSize(sha256, name)).toEqual({ format: "webp", width: 50, height: 40 });
});

it("turns a picture by its camera's orientation, including its size, thumbnails and thumbhash", async () => {
  const turned = await gradient(800, 400).jpeg().withMetadata({ orientation: 6 }).toBuffer();
  const { sha256, facts } = await describeFile(turned);
  expect(facts).toMatchObject({ width: 400, height: 800 });
  expect(await variantSize(sha256, "thumb-320.webp")).toEqual({
    format: "webp",
    width: 320,
    height: 640,
  });
  expect(thumbHashToApproximateAspectRatio(Buffer.from(facts.thumbhash!, "base64"))).toBeLessThan(
    0.8,
  );
});

it("keeps a HEIC photo as a file, without a preview", async () => {
  const sniffed = await sniffType(new Uint8Array(heicPhoto), "IMG_1.heic");
  expect(sniffed).toMatchObject({ mime: "image/heic", kind: "file", inline: false });
  const { sha256, facts } = await describeFile(heicPhoto);
  expect(facts).toMatchObject({ width: null, variants: [] });
  const chunks = [];
  for await (const chunk of await blobs.get(sha256)) chunks.push(chunk);
  expect(Buffer.concat(chunks).equals(heicPhoto)).toBe(true);
});

it("measures and draws a 16-bit PNG, a single pixel, and a flat strip of 20,000 by 10", async () => {
  const deep = await gradient(64, 48).toColourspace("rgb16").png().toBuffer();
  expect((await sharp(deep).metadata()).depth).toBe("ushort");
  const { sha256, facts } = await describeFile(deep);
  expect(facts).toMatchObject({ width: 64, height: 48, variants: thumbs });
  const thumb = await sharp(await blobs.getVariant(sha256, "thumb-320.webp")).stats();
  const source = await gradient(64, 48).stats();
  for (const [channel, { mean }] of thumb.channels.slice(0, 3).entries())
    expect(Math.abs(mean - source.channels[channel]!.mean)).toBeLessThan(4);
  const pixel = await describeFile(await gradient(1, 1).jpeg().toBuffer());
  expect(pixel.facts).toMatchObject({ width: 1, height: 1, variants: thumbs });
  expect(pixel.facts.thumbhash).not.toBe(null);
  const strip = await describeFile(await gradient(20_000, 10).png().toBuffer());
  expect(strip.facts).toMatchObject({ width: 20_000, height: 10, variants: thumbs });
  expect(await variantSize(strip.sha256, "thumb-320.webp")).toMatchObject({
    width: 320,
    height: 1,
  });
});

it("shows a CMYK picture in its print colors", async () => {
  const printed = await sharp({
    create: { width: 64, height: 48, channels: 3, background: "#c4724a" },
  })
    .toColourspace("cmyk")
    .jpeg()
    .toBuffer();
  const { sha256, facts } = await describeFile(printed);
  expect(facts).toMatchObject({ width: 64, height: 48 });
  const { channels } = await sharp(await blobs.getVariant(sha256, "thumb-320.webp")).stats();
  expect(channels.slice(0, 3).map(({ mean }) => Math.round(mean / 16))).toEqual([12, 7, 4]);
});

it("reads only the first of an animation's 300 frames", async () => {
  const frames = Buffer.concat(
    Array.from({ length: 300 }, (_, index) =>
      Buffer.alloc(40 * 30 * 3, index === 0 ? 255 : index % 200),
    ),
  );
  const animation = sharp(frames, {
    raw: { width: 40, height: 30 * 300, channels: 3, pageHeight: 30 },
  });
  const { sha256, facts } = await describeFile(await animation.gif().toBuffer());
  expect(facts).toMatchObject({ width: 40, height: 30 });
  const { dominant } = await sharp(await blobs.getVariant(sha256, "thumb-320.webp")).stats();
  expect(dominant.r).toBeGreaterThan(240);
});

it.each(["gif", "webp", "apng"] as const)(
  "decodes one of 20,000 frames in a %s, 80 gigapixels in total",
  async (format) => {
    const { facts } = await describeFile(await floods[format](20_000));
    expect(facts).toMatchObject({ width: floodSide, height: floodSide });
    expect(facts.variants).toEqual(thumbs);
  },
);

it("cuts a strip of 10 by 20,000 pixels down to WebP's limit", async () => {
  const { sha256, facts } = await describeFile(await gradient(10, 20_000).png().toBuffer());
  expect(facts).toMatchObject({ width: 10, height: 20_000 });
  expect(await variantSize(sha256, "thumb-320.webp")).toMatchObject({ height: 1_280 });
});

it("refuses 50,000 by 50,000 pixels before decoding any, and states the limit", async () => {
  const refused = describeFile(bombPng(50_000, 50_000));
  await expect(refused).rejects.toMatchObject({
    code: "too_large",
    message: expect.stringContaining("50,000 x 50,000"),
  });
});

it("refuses 1 by 30,000,000 pixels by its longest side, before decoding any", async () => {
  const decoded = vi.spyOn(blobs, "putVariant");
  const refused = describeFile(bombPng(1, 30_000_000));
  await expect(refused).rejects.toMatchObject({
    code: "too_large",
    message: expect.stringContaining("65,535 pixels a side"),
  });
  expect(decoded).not.toHaveBeenCalled();
});

it("refuses a picture of 0 by 0 pixels as unreadable", async () => {
  await expect(describeFile(bombPng(0, 0))).rejects.toMatchObject({ code: "unsupported_media" });
});

it.each(["jpeg", "png", "webp", "avif"] as const)(
  "refuses a truncated %s in plain words",
  async (format) => {
    const noise = await sharp({
      create: {
        width: 400,
        height: 300,
        channels: 3,
        background: "red",
        noise: { type: "gaussian", mean: 128, sigma: 60 },
      },
    })
      .toFormat(format)
      .toBuffer();
    const refused = describeFile(noise.subarray(0, noise.length * 0.6));
    await expect(refused).rejects.toMatchObject({
      code: "unsupported_media",
      message: "This picture can’t be read: the file is damaged or incomplete.",
    });
  },
);

it("leaves SVG, HTML named as a picture, and plain files unchanged", async () => {
  const none = {
    width: null,
    height: null,
    durationMs: null,
    thumbhash: null,
    phash: null,
    variants: [],
    provenance: null,
  };
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"/>');
  expect((await describeFile(svg)).facts).toEqual(none);
  expect((await describeFile(Buffer.from("<!doctype html><b>x"))).facts).toEqual(none);
  expect((await describeFile(Buffer.from([0xff, 0, 1, 2]))).facts).toEqual(none);
});

it("describes twenty pictures requested at once", async () => {
  const made = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      gradient(100 + index, 50)
        .png()
        .toBuffer(),
    ),
  );
  const described = await Promise.all(made.map((bytes) => describeFile(bytes)));
  expect(described.map(({ facts }) => facts.width)).toEqual(made.map((_, index) => 100 + index));
});

it("reads a video's size, duration, poster and waveform", async () => {
  const { sha256, facts } = await describeFile(
    await makeFilm("film.mp4", "-c:v", "libx264", "-pix_fmt", "yuv420p", "-shortest"),
  );
  expect(facts).toMatchObject({
    width: 320,
    height: 180,
    variants: ["waveform.json", ...thumbs, "poster.webp"],
  });
  expect(facts.durationMs).toBeGreaterThan(1_900);
  expect(facts.durationMs).toBeLessThan(2_200);
  expect(await variantSize(sha256, "poster.webp")).toEqual({
    format: "webp",
    width: 320,
    height: 180,
  });
});

it("reports a lack of space if a video frame can't be written, and leaves nothing there", async () => {
  const scratch = await openScratchDisk();
  const onSmall = createMedia({
    blobs,
    ffmpegPath: ffmpegInstaller.path,
    scratchFolder: scratch.folder,
  });
  onTestFinished(() => onSmall.close());
  const film = await makeFilm("no-room.mp4", "-c:v", "libx264", "-pix_fmt", "yuv420p", "-an");
  scratch.fill();
  await expect(describeFile(film, onSmall)).rejects.toMatchObject({
    code: expect.stringMatching(/^(storage_full|unavailable)$/),
  });
  scratch.free();
  expect(await readdir(scratch.folder)).toEqual([]);
  expect((await describeFile(film, onSmall)).facts.variants).toContain("poster.webp");
});

it("shows a rotated video upright", async () => {
  const flat = join(folder, "flat.mp4");
  await makeFilm("flat.mp4", "-c:v", "libx264", "-pix_fmt", "yuv420p", "-an");
  await runFile(ffmpegInstaller.path, [
    "-loglevel",
    "error",
    "-y",
    "-i",
    flat,
    "-c",
    "copy",
    "-metadata:s:v:0",
    "rotate=90",
    join(folder, "turned.mp4"),
  ]);
  const { facts } = await describeFile(await readFile(join(folder, "turned.mp4")));
  expect(facts).toMatchObject({ width: 180, height: 320 });
});

it("reads an MP3's duration and 200 peaks", async () => {
  const { sha256, facts } = await describeFile(
    await makeFilm("tone.mp3", "-vn", "-c:a", "libmp3lame"),
  );
  expect(facts).toMatchObject({ width: null, height: null, variants: ["waveform.json"] });
  expect(Math.abs(facts.durationMs! - 2_000)).toBeLessThan(100);
  const peaks: number[] = JSON.parse(
    Buffer.from((await blobs.getVariant(sha256, "waveform.json"))!).toString(),
  );
  expect(peaks.length).toBe(200);
  // ffmpeg's tone is an eighth of full scale.
  expect(Math.max(...peaks)).toBeGreaterThan(0.1);
  expect(Math.max(...peaks)).toBeLessThan(0.15);
});

it("refuses a truncated video if a program can detect it", async () => {
  const film = await makeFilm("whole.mp4", "-c:v", "libx264", "-pix_fmt", "yuv420p");
  const cut = film.subarray(0, 3_000);
  await expect(describeFile(cut)).rejects.toMatchObject({ code: "unsupported_media" });
  expect((await describeFile(cut, mediaWithoutFfmpeg)).facts.durationMs).toBeNull();
});

it("leaves a video a plain tile if its reader takes too long, and stops the reader", async () => {
  const program = join(folder, "hangs");
  await writeFile(
    program,
    '#!/bin/sh\ncase "$*" in *-version*) echo "ffmpeg version 0";; *) echo $$ > "$0.pid"; exec sleep 600;; esac\n',
    {
      mode: 0o755,
    },
  );
  const slow = createMedia({ blobs, ffmpegPath: program, ffmpegTimeLimitMs: 300 });
  const { facts } = await describeFile(
    await makeFilm("slow.mp4", "-c:v", "libx264", "-pix_fmt", "yuv420p"),
    slow,
  );
  expect(facts).toEqual({
    width: null,
    height: null,
    durationMs: null,
    thumbhash: null,
    phash: null,
    variants: [],
    provenance: null,
  });
  expect(await slow.ffmpegVersion()).toBe("0");
  const pid = Number(await readFile(`${program}.pid`, "utf8"));
  expect(() => process.kill(pid, 0)).toThrow("ESRCH");
  await slow.close();
});

it("lets no playlist disguised as a video open another file", async () => {
  const other = join(folder, "other.mp4");
  await makeFilm("other.mp4", "-c:v", "libx264", "-pix_fmt", "yuv420p");
  const playlist = Buffer.from(
    `#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\n${other}\n#EXT-X-ENDLIST\n`,
  );
  const { sha256 } = await blobs.put(once(playlist));
  await expect(media.describe(sha256, { mime: "video/mp4", kind: "video" })).rejects.toMatchObject({
    code: "unsupported_media",
  });
});

it("without ffmpeg reads WAV by itself and leaves video and MP3 a plain tile", async () => {
  expect(await mediaWithoutFfmpeg.ffmpegVersion()).toBeUndefined();
  // Half a second of silence, then half a second at half of full scale, in two channels of which
  // one is silent.
  const samples = Int16Array.from({ length: 16_000 }, (_, index) =>
    index >= 8_000 && index % 2 === 1 ? (index % 4 === 1 ? 16_384 : -16_384) : 0,
  );
  const { sha256, facts } = await describeFile(
    buildWav({
      samples: Buffer.from(samples.buffer),
      samplesPerSecond: 8_000,
      channels: 2,
      bits: 16,
    }),
    mediaWithoutFfmpeg,
  );
  expect(facts).toMatchObject({ durationMs: 1_000, variants: ["waveform.json"] });
  const peaks: number[] = JSON.parse(
    Buffer.from((await blobs.getVariant(sha256, "waveform.json"))!).toString(),
  );
  expect(peaks).toEqual([...Array(100).fill(0), ...Array(100).fill(0.5)]);
  const none = {
    width: null,
    height: null,
    durationMs: null,
    thumbhash: null,
    phash: null,
    variants: [],
    provenance: null,
  };
  expect(
    (
      await describeFile(
        await makeFilm("plain.mp4", "-c:v", "libx264", "-pix_fmt", "yuv420p"),
        mediaWithoutFfmpeg,
      )
    ).facts,
  ).toEqual(none);
  expect(
    (await describeFile(await makeFilm("plain.mp3", "-vn"), mediaWithoutFfmpeg)).facts,
  ).toEqual(none);
});

it("works on files in S3 too, with equal thumbnails", async () => {
  const s3 = await startS3();
  const store = openBlobStore(s3.url, join(folder, "s3"), {
    AWS_ACCESS_KEY_ID: s3.accessKeyId,
    AWS_SECRET_ACCESS_KEY: s3.secretAccessKey,
  });
  const remote = createMedia({ blobs: store, scratchFolder: join(folder, "s3", "blobs", "tmp") });
  try {
    const bytes = await gradient(700, 500).png().toBuffer();
    const [there, here] = [await describeFile(bytes, remote, store), await describeFile(bytes)];
    expect(there).toEqual(here);
    const hashes = await Promise.all(
      [store, blobs].map(async (each) =>
        createHash("sha256")
          .update((await each.getVariant(there.sha256, "thumb-640.webp"))!)
          .digest("hex"),
      ),
    );
    expect(hashes[0]).toBe(hashes[1]);
    expect(await readdir(join(folder, "s3", "blobs", "tmp"))).toEqual([]);
  } finally {
    await remote.close();
    await s3.stop();
  }
});

it("reports not_found for a hash that isn't stored", async () => {
  await expect(
    media.describe("0".repeat(64), { mime: "image/png", kind: "image" }),
  ).rejects.toMatchObject({ code: "not_found" });
});
