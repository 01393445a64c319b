import { createReadStream } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { createPeaks } from "./peaks.ts";

type WavFormat = {
  channels: number;
  samplesPerSecond: number;
  frameBytes: number;
  bits: number;
  isFloat: boolean;
};
type WavData = WavFormat & { start: number; bytes: number };

const formatPcm = 1;
const formatFloat = 3;
const formatExtensible = 0xfffe;

/**
 * Duration and peaks of a WAV file of integers (8 to 32 bits) or floats, read from the file itself; undefined for anything
 * else, compressed WAV included. A file cut short, or streamed with no length in its header, has what is there.
 * (RIFF and its WAVE form: https://www.mmsp.ece.mcgill.ca/Documents/AudioFormats/WAVE/WAVE.html)
 */
export async function readWav(
  path: string,
  peaksWanted: number,
): Promise<{ durationMs: number; peaks: number[] } | undefined> {
  const sound = await findSound(path);
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

/** One value a frame, the loudest of its channels. */
function addFrames(peaks: { add(sample: number): void }, frames: Buffer, format: WavFormat): void {
  const read = sampleReader(frames, format);
  const sampleBytes = format.bits / 8;
  for (let offset = 0; offset < frames.length; offset += format.frameBytes) {
    let loudest = 0;
    for (let channel = 0; channel < format.channels; channel += 1) {
      const level = Math.abs(read(offset + channel * sampleBytes));
      // A float file may hold NaN, which Math.max would carry on.
      if (level > loudest) loudest = level;
    }
    peaks.add(loudest);
  }
}

function sampleReader(bytes: Buffer, { bits, isFloat }: WavFormat): (offset: number) => number {
  if (isFloat)
    return bits === 64
      ? (offset) => bytes.readDoubleLE(offset)
      : (offset) => bytes.readFloatLE(offset);
  // Only 8 bits are unsigned.
  if (bits === 8) return (offset) => (bytes[offset]! - 128) / 128;
  const full = 2 ** (bits - 1);
  return (offset) => bytes.readIntLE(offset, bits / 8) / full;
}

async function findSound(path: string): Promise<WavData | undefined> {
  const handle = await open(path, "r");
  try {
    const { size } = await handle.stat();
    const riff = await readAt(handle, 0, 12);
    if (riff.toString("latin1", 0, 4) !== "RIFF" || riff.toString("latin1", 8, 12) !== "WAVE")
      return undefined;
    let format: WavFormat | undefined;
    // Chunks have even lengths; a file has a few, and a loop over rubbish must end.
    for (let offset = 12, count = 0; offset + 8 <= size && count < 1_000; count += 1) {
      const header = await readAt(handle, offset, 8);
      const name = header.toString("latin1", 0, 4);
      const bytes = header.readUInt32LE(4);
      if (name === "fmt ")
        format = readFormat(await readAt(handle, offset + 8, Math.min(bytes, 40)));
      if (name === "data")
        return (
          format && { ...format, start: offset + 8, bytes: Math.min(bytes, size - offset - 8) }
        );
      offset += 8 + bytes + (bytes % 2);
    }
    return undefined;
  } finally {
    await handle.close();
  }
}

function readFormat(chunk: Buffer): WavFormat | undefined {
  if (chunk.length < 16) return undefined;
  const tag = chunk.readUInt16LE(0);
  // The extensible form has the tag at the beginning of a GUID.
  const kind = tag === formatExtensible && chunk.length >= 26 ? chunk.readUInt16LE(24) : tag;
  const [channels, samplesPerSecond, bits] = [
    chunk.readUInt16LE(2),
    chunk.readUInt32LE(4),
    chunk.readUInt16LE(14),
  ];
  const isFloat = kind === formatFloat;
  const isKnown = isFloat
    ? bits === 32 || bits === 64
    : kind === formatPcm && [8, 16, 24, 32].includes(bits);
  if (!isKnown || channels === 0 || samplesPerSecond === 0) return undefined;
  return { channels, samplesPerSecond, bits, isFloat, frameBytes: (channels * bits) / 8 };
}

/** Shorter than asked for at the file's end. */
async function readAt(handle: FileHandle, offset: number, bytes: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(bytes), 0, bytes, offset);
  return buffer.subarray(0, bytesRead);
}
