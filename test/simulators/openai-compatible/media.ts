import { createHash } from "node:crypto";
import { crc32, deflateSync } from "node:zlib";

/**
 * A real PNG, different for every prompt and index: a gradient between two colors derived from the
 * hash.
 */
export function makePng(prompt: string, index: number, width: number, height: number): Buffer {
  const hash = createHash("sha256").update(`${prompt}\n${index}`).digest();
  const rows = Buffer.alloc(height * (1 + width * 3));
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const share = (x + y) / (width + height);
      for (let channel = 0; channel < 3; channel++) {
        rows[y * (1 + width * 3) + 1 + x * 3 + channel] = Math.round(
          hash[channel]! * (1 - share) + hash[channel + 3]! * share,
        );
      }
    }
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    pngChunk("IHDR", head),
    pngChunk("IDAT", deflateSync(rows)),
    pngChunk("IEND", Buffer.alloc(0)),
  ]);
}

function pngChunk(type: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type), content]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(content.length, 0);
  frame.writeUInt32BE(crc32(named), 4);
  return Buffer.concat([frame.subarray(0, 4), named, frame.subarray(4)]);
}

/** A tone of 20 ms per letter: 16-bit mono WAV at 8 kHz. */
export function makeWav(text: string): Buffer {
  const samples = Math.min(text.length, 500) * 160;
  const wav = Buffer.alloc(44 + samples * 2);
  wav.write("RIFF", 0);
  wav.writeUInt32LE(36 + samples * 2, 4);
  wav.write("WAVEfmt ", 8);
  wav.writeUInt32LE(16, 16);
  wav.writeUInt16LE(1, 20);
  wav.writeUInt16LE(1, 22);
  wav.writeUInt32LE(8_000, 24);
  wav.writeUInt32LE(16_000, 28);
  wav.writeUInt16LE(2, 32);
  wav.writeUInt16LE(16, 34);
  wav.write("data", 36);
  wav.writeUInt32LE(samples * 2, 40);
  for (let n = 0; n < samples; n++)
    wav.writeInt16LE(Math.round(8_000 * Math.sin((2 * Math.PI * 440 * n) / 8_000)), 44 + n * 2);
  return wav;
}

/** A unit vector that depends only on the text. */
export function makeEmbedding(text: string, dimensions: number): number[] {
  const values = Array.from({ length: dimensions }, (_, index) => {
    const hash = createHash("sha256").update(`${index}\n${text}`).digest();
    return hash.readInt32BE(0) / 2 ** 31;
  });
  const length = Math.hypot(...values) || 1;
  return values.map((value) => value / length);
}
