import { createHash } from "node:crypto";
import { crc32, deflateSync } from "node:zlib";

/** Small real files that a decoder opens. Equal prompts and seeds give equal bytes. */
export type MadeFile = {
  name: string;
  mime: string;
  bytes: Uint8Array;
  width?: number;
  height?: number;
  duration?: number;
};

/** A PNG of the requested size: two colors derived from the prompt, in stripes. */
export function makePng(
  words: string,
  width: number,
  height: number,
  name = "image.png",
): MadeFile {
  const hash = createHash("sha256").update(words).digest();
  // The stripes repeat, so 32 rows are drawn and copied.
  const drawn = Array.from({ length: Math.min(32, height) }, (_, y) => {
    const row = Buffer.alloc(width * 3 + 1);
    for (let x = 0; x < width; x++)
      row.set(hash.subarray((x + y) % 32 < 16 ? 0 : 3).subarray(0, 3), 1 + x * 3);
    return row;
  });
  const rows = Buffer.concat(Array.from({ length: height }, (_, y) => drawn[y % 32]!));
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const bytes = Buffer.concat([
    signature,
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
  return { name, mime: "image/png", bytes, width, height };
}

function chunk(type: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), content]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** A WAV: mono, 16 bit, 8 kHz, a sine whose pitch is derived from the prompt. */
export function makeWav(words: string, seconds: number): MadeFile {
  const rate = 8_000;
  const samples = Math.round(rate * seconds);
  const pitch = 200 + createHash("sha256").update(words).digest()[0]!;
  const bytes = Buffer.alloc(44 + samples * 2);
  bytes.write("RIFF", 0, "latin1");
  bytes.writeUInt32LE(36 + samples * 2, 4);
  bytes.write("WAVEfmt ", 8, "latin1");
  bytes.writeUInt32LE(16, 16);
  bytes.writeUInt16LE(1, 20);
  bytes.writeUInt16LE(1, 22);
  bytes.writeUInt32LE(rate, 24);
  bytes.writeUInt32LE(rate * 2, 28);
  bytes.writeUInt16LE(2, 32);
  bytes.writeUInt16LE(16, 34);
  bytes.write("data", 36, "latin1");
  bytes.writeUInt32LE(samples * 2, 40);
  for (let i = 0; i < samples; i++)
    bytes.writeInt16LE(Math.round(8_000 * Math.sin((2 * Math.PI * pitch * i) / rate)), 44 + i * 2);
  return { name: "speech.wav", mime: "audio/wav", bytes, duration: seconds };
}

/** An MP4's boxes with a duration and no track: recognized as a video, but not playable. */
export function makeMp4(words: string, seconds: number): MadeFile {
  const brands = Buffer.concat([
    Buffer.from("isom", "latin1"),
    Buffer.from([0, 0, 2, 0]),
    Buffer.from("isomiso2mp41", "latin1"),
  ]);
  const header = Buffer.alloc(100);
  header.writeUInt32BE(1_000, 12);
  header.writeUInt32BE(seconds * 1_000, 16);
  header.writeUInt32BE(0x00010000, 20);
  header.writeUInt32BE(2, 96);
  const content = createHash("sha512").update(words).digest();
  const bytes = Buffer.concat([
    box("ftyp", brands),
    box("moov", box("mvhd", header)),
    box("mdat", content),
  ]);
  return {
    name: "output.mp4",
    mime: "video/mp4",
    bytes,
    width: 1280,
    height: 720,
    duration: seconds,
  };
}

function box(type: string, content: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(content.length + 8);
  head.write(type, 4, "latin1");
  return Buffer.concat([head, content]);
}

/** A GLB with an empty scene. */
export function makeGlb(words: string): MadeFile {
  const json = JSON.stringify({
    asset: { version: "2.0", generator: "simulator" },
    scene: 0,
    scenes: [{ name: words.slice(0, 40) }],
  });
  const padded = Buffer.from(json.padEnd(Math.ceil(Buffer.byteLength(json) / 4) * 4));
  const head = Buffer.alloc(20);
  head.write("glTF", 0, "latin1");
  head.writeUInt32LE(2, 4);
  head.writeUInt32LE(20 + padded.length, 8);
  head.writeUInt32LE(padded.length, 12);
  head.write("JSON", 16, "latin1");
  return { name: "mesh.glb", mime: "model/gltf-binary", bytes: Buffer.concat([head, padded]) };
}
