import { createReadStream } from "node:fs";
import { findWavSound, type WavSound } from "#domain/files/wav.ts";
import { withFileBytes } from "./file-bytes.ts";
import { createPeaks } from "./peaks.ts";

/**
 * Reads duration and peaks of a WAV file with integer (8 to 32 bits) or float samples. Undefined
 * for anything else, including compressed WAV. Blocks its thread while it reads the header.
 */
export async function readWav(
  path: string,
  peaksWanted: number,
): Promise<{ durationMs: number; peaks: number[] } | undefined> {
  const sound = findSound(path);
  if (!sound) return undefined;
  const { frameBytes, samplesPerSecond, start, bytes } = sound;
  const peaks = createPeaks(peaksWanted);
  const frames = Math.floor(bytes / frameBytes);
  if (frames > 0) {
    let rest: Buffer = Buffer.alloc(0);
    const stream = createReadStream(path, {
      start,
      end: start + frames * frameBytes - 1,
      highWaterMark: 1024 ** 2,
    });
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      const joined = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
      const whole = joined.length - (joined.length % frameBytes);
      addFrames(peaks, joined.subarray(0, whole), sound);
      rest = joined.subarray(whole);
    }
  }
  return { durationMs: Math.round((frames * 1_000) / samplesPerSecond), peaks: peaks.read() };
}

/** Adds one value per frame, the loudest of its channels. */
function addFrames(peaks: { add(sample: number): void }, frames: Buffer, format: WavSound): void {
  const read = sampleReader(frames, format);
  const sampleBytes = format.bits / 8;
  for (let offset = 0; offset < frames.length; offset += format.frameBytes) {
    let loudest = 0;
    for (let channel = 0; channel < format.channels; channel += 1) {
      const level = Math.abs(read(offset + channel * sampleBytes));
      // A float file may contain NaN, which Math.max would propagate.
      if (level > loudest) loudest = level;
    }
    peaks.add(loudest);
  }
}

function sampleReader(bytes: Buffer, { bits, isFloat }: WavSound): (offset: number) => number {
  if (isFloat)
    return bits === 64
      ? (offset) => bytes.readDoubleLE(offset)
      : (offset) => bytes.readFloatLE(offset);
  // Only 8-bit samples are unsigned.
  if (bits === 8) return (offset) => (bytes[offset]! - 128) / 128;
  const full = 2 ** (bits - 1);
  return (offset) => bytes.readIntLE(offset, bits / 8) / full;
}

const findSound = (path: string): WavSound | undefined => withFileBytes(path, findWavSound);
