import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { buildWav } from "../../../../test/support/wav.ts";
import { createPeaks } from "./peaks.ts";
import { readWav } from "./wav.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "bottega-wav-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function read(bytes: Buffer) {
  const path = join(folder, "sound.wav");
  await writeFile(path, bytes);
  return readWav(path, 4);
}

/**
 * 8 frames of one channel at 8 frames a second: silence, then a quarter and a half of full scale,
 * then full scale below zero.
 */
const levels = [0, 0, 0.25, 0.25, 0.5, 0.5, -1, -1];
const samplesOf: Record<
  string,
  { bits: number; format?: number; write(bytes: Buffer, level: number, at: number): void }
> = {
  "8 bit": {
    bits: 8,
    write: (bytes, level, at) => bytes.writeUInt8(Math.round(128 + level * 128), at),
  },
  "16 bit": { bits: 16, write: (bytes, level, at) => bytes.writeInt16LE(level * 2 ** 15, at * 2) },
  "24 bit": { bits: 24, write: (bytes, level, at) => bytes.writeIntLE(level * 2 ** 23, at * 3, 3) },
  "32 bit": { bits: 32, write: (bytes, level, at) => bytes.writeInt32LE(level * 2 ** 31, at * 4) },
  "32 bit float": {
    bits: 32,
    format: 3,
    write: (bytes, level, at) => bytes.writeFloatLE(level, at * 4),
  },
  "64 bit float": {
    bits: 64,
    format: 3,
    write: (bytes, level, at) => bytes.writeDoubleLE(level, at * 8),
  },
};

function build(name: string, changed: Partial<Parameters<typeof buildWav>[0]> = {}): Buffer {
  const { bits, format, write } = samplesOf[name]!;
  const samples = Buffer.alloc((levels.length * bits) / 8);
  for (const [index, level] of levels.entries()) write(samples, level, index);
  return buildWav({ samples, samplesPerSecond: 8, channels: 1, bits, format, ...changed });
}

it.each(Object.keys(samplesOf))(
  "reads duration and peaks of %s samples, in the plain and the extensible form",
  async (name) => {
    const expected = { durationMs: 1_000, peaks: [0, 0.25, 0.5, 1] };
    expect(await read(build(name))).toEqual(expected);
    expect(
      await read(
        build(name, { isExtensible: true, extraChunk: { name: "LIST", bytes: Buffer.alloc(7) } }),
      ),
    ).toEqual(expected);
  },
);

it("reads the existing samples if the header promises more: a truncated file, or one streamed without a length", async () => {
  expect(await read(build("16 bit", { claimedBytes: 0xffffffff }))).toEqual({
    durationMs: 1_000,
    peaks: [0, 0.25, 0.5, 1],
  });
  const whole = build("16 bit");
  expect(await read(whole.subarray(0, whole.length - 7))).toMatchObject({ durationMs: 500 });
});

it("finds no sound in an empty file, and no NaN in one with sound", async () => {
  expect(await read(build("16 bit", { samples: Buffer.alloc(0) }))).toEqual({
    durationMs: 0,
    peaks: [0, 0, 0, 0],
  });
  const samples = Buffer.alloc(8);
  samples.writeFloatLE(Number.NaN, 0);
  samples.writeFloatLE(0.5, 4);
  expect(await read(build("32 bit float", { samples }))).toMatchObject({ peaks: [0, 0, 0.5, 0.5] });
});

it.each([
  ["compressed", build("16 bit", { format: 2 })],
  ["without channels", build("16 bit", { channels: 0 })],
  ["only a beginning", build("16 bit").subarray(0, 15)],
  ["no WAV", Buffer.from("RIFF1234AVI nothing here")],
  [
    "made of empty chunks without end",
    Buffer.concat([Buffer.from("RIFF\0\0\0\0WAVE"), Buffer.alloc(100_000)]),
  ],
])("leaves a file that is %s to others", async (_, bytes) => {
  expect(await read(bytes)).toBeUndefined();
});

it("peaks of many samples cover equal spans of time, however many there are", () => {
  for (const count of [1, 3, 4, 7, 8, 9, 1_000, 12_345]) {
    const peaks = createPeaks(4);
    // Rises from 0 to 1, so each span's peak is its end.
    for (let index = 0; index < count; index += 1) peaks.add((index + 1) / count);
    const read = peaks.read();
    expect(read.length).toBe(4);
    expect(read[3]).toBe(1);
    expect([...read].sort((a, b) => a - b)).toEqual(read);
    // A span may be off by one of the two spans that it was merged from.
    if (count >= 8)
      for (const [index, peak] of read.entries())
        expect(Math.abs(peak - (index + 1) / 4)).toBeLessThanOrEqual(0.25);
  }
});
