/** The position and format of a WAV file's samples. */
export type WavSound = {
  channels: number;
  samplesPerSecond: number;
  /** The size of one sample of every channel. */
  frameBytes: number;
  bits: number;
  isFloat: boolean;
  /** Offset of the first sample in the file, in bytes. */
  start: number;
  /**
   * The available bytes of a file that is truncated, or streamed without a length in its header.
   */
  bytes: number;
};

const formatPcm = 1;
const formatFloat = 3;
const formatExtensible = 0xfffe;
/** Bounds the loop over a malformed file; a valid one has a few chunks. */
const maxChunks = 1_000;

/**
 * Reads the header of a WAV file with integer (8 to 32 bits) or float samples.
 * (RIFF and its WAVE form: https://www.mmsp.ece.mcgill.ca/Documents/AudioFormats/WAVE/WAVE.html)
 * @param readAt reads up to that many bytes from that offset, fewer at the file's end
 * @param size of the file in bytes
 * @returns undefined for anything else, including compressed WAV
 */
export function findWavSound(
  readAt: (offset: number, bytes: number) => Uint8Array,
  size: number,
): WavSound | undefined {
  const riff = readAt(0, 12);
  if (tagAt(riff, 0) !== "RIFF" || tagAt(riff, 8) !== "WAVE") return undefined;
  let format: Omit<WavSound, "start" | "bytes"> | undefined;
  for (let offset = 12, count = 0; offset + 8 <= size && count < maxChunks; count += 1) {
    const header = readAt(offset, 8);
    const name = tagAt(header, 0);
    const bytes = viewOf(header).getUint32(4, true);
    if (name === "fmt ") format = readFormat(readAt(offset + 8, Math.min(bytes, 40)));
    if (name === "data")
      return format && { ...format, start: offset + 8, bytes: Math.min(bytes, size - offset - 8) };
    // Chunks begin at even offsets.
    offset += 8 + bytes + (bytes % 2);
  }
  return undefined;
}

const viewOf = (bytes: Uint8Array) =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
const tagAt = (bytes: Uint8Array, at: number) => String.fromCharCode(...bytes.subarray(at, at + 4));

function readFormat(chunk: Uint8Array): Omit<WavSound, "start" | "bytes"> | undefined {
  if (chunk.length < 16) return undefined;
  const view = viewOf(chunk);
  const tag = view.getUint16(0, true);
  // The extensible format has its tag at the beginning of a GUID.
  const kind = tag === formatExtensible && chunk.length >= 26 ? view.getUint16(24, true) : tag;
  const channels = view.getUint16(2, true);
  const samplesPerSecond = view.getUint32(4, true);
  const bits = view.getUint16(14, true);
  const isFloat = kind === formatFloat;
  const isKnown = isFloat
    ? bits === 32 || bits === 64
    : kind === formatPcm && [8, 16, 24, 32].includes(bits);
  if (!isKnown || channels === 0 || samplesPerSecond === 0) return undefined;
  return { channels, samplesPerSecond, bits, isFloat, frameBytes: (channels * bits) / 8 };
}
