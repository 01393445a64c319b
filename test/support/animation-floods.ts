import { crc32, deflateSync } from "node:zlib";
import sharp from "sharp";

/** The side of the canvas onto which each frame is drawn when all are decoded. */
const side = 2_000;
export const floodSide = side;

const u16 = (value: number): number[] => [value & 0xff, value >> 8];
const u24 = (value: number): number[] => [value & 0xff, (value >> 8) & 0xff, value >> 16];
const u32 = (value: number, isBig = false): Buffer => {
  const bytes = Buffer.alloc(4);
  if (isBig) bytes.writeUInt32BE(value);
  else bytes.writeUInt32LE(value);
  return bytes;
};

/** A GIF with one-pixel frames on a large canvas: 80 gigapixels in a megabyte of file. */
function gifFlood(frames: number): Buffer {
  const screen = [...Buffer.from("GIF89a"), ...u16(side), ...u16(side), 0x80, 0, 0];
  const palette = [255, 255, 255, 0, 0, 0];
  const frame = Buffer.from([
    ...[0x21, 0xf9, 4, 0, 1, 0, 0, 0],
    ...[0x2c, ...u16(0), ...u16(0), ...u16(1), ...u16(1), 0],
    // A clear code, color 0, an end code.
    ...[2, 2, 0x44, 0x01, 0],
  ]);
  return Buffer.concat([
    Buffer.from([...screen, ...palette]),
    ...Array.from({ length: frames }, () => frame),
    Buffer.from([0x3b]),
  ]);
}

/** The WebP counterpart of `gifFlood`. */
async function webpFlood(frames: number): Promise<Buffer> {
  const still = await sharp({
    create: { width: 1, height: 1, channels: 3, background: "white" },
  })
    .webp({ lossless: true })
    .toBuffer();
  const chunk = (name: string, data: Uint8Array): Buffer =>
    Buffer.concat([
      Buffer.from(name, "latin1"),
      u32(data.length),
      data,
      Buffer.alloc(data.length % 2),
    ]);
  const frame = chunk(
    "ANMF",
    Buffer.concat([
      Buffer.from([...u24(0), ...u24(0), ...u24(0), ...u24(0), ...u24(10), 0]),
      // The picture's own chunk, after "RIFF", the size and "WEBP".
      still.subarray(12),
    ]),
  );
  const body = Buffer.concat([
    Buffer.from("WEBP", "latin1"),
    chunk("VP8X", Buffer.from([0x02, 0, 0, 0, ...u24(side - 1), ...u24(side - 1)])),
    chunk("ANIM", Buffer.from([255, 255, 255, 255, 0, 0])),
    ...Array.from({ length: frames }, () => frame),
  ]);
  return Buffer.concat([Buffer.from("RIFF", "latin1"), u32(body.length), body]);
}

/** The PNG counterpart of `gifFlood`. The frames after the first contain no decodable data. */
function apngFlood(frames: number): Buffer {
  const chunk = (name: string, data: Uint8Array): Buffer => {
    const body = Buffer.concat([Buffer.from(name, "latin1"), data]);
    return Buffer.concat([u32(data.length, true), body, u32(crc32(body), true)]);
  };
  const control = (sequence: number): Buffer =>
    chunk(
      "fcTL",
      Buffer.concat([
        u32(sequence, true),
        u32(side, true),
        u32(side, true),
        u32(0, true),
        u32(0, true),
        Buffer.from([0, 1, 0, 10, 0, 0]),
      ]),
    );
  const header = Buffer.concat([u32(side, true), u32(side, true), Buffer.from([8, 0, 0, 0, 0])]);
  const pixels = deflateSync(Buffer.alloc((side + 1) * side));
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk("IHDR", header),
    chunk("acTL", Buffer.concat([u32(frames, true), u32(0, true)])),
    control(0),
    chunk("IDAT", pixels),
    ...Array.from({ length: frames - 1 }, (_, index) =>
      Buffer.concat([
        control(index * 2 + 1),
        chunk("fdAT", Buffer.concat([u32(index * 2 + 2, true), Buffer.from("no pixels")])),
      ]),
    ),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

export const floods = { gif: gifFlood, webp: webpFlood, apng: apngFlood };
