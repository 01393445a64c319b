import sharp from "sharp";

const glTf = 0x46546c67;
const [jsonChunk, binaryChunk] = [0x4e4f534a, 0x004e4942];

const padded = (bytes: Buffer, filler: number): Buffer =>
  Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4, filler)]);
const chunk = (type: number, bytes: Buffer): Buffer => {
  const head = Buffer.alloc(8);
  head.writeUInt32LE(bytes.length, 0);
  head.writeUInt32LE(type, 4);
  return Buffer.concat([head, bytes]);
};

/**
 * Packs a scene and its data into one file, according to glTF 2.0 (section 4.4, "Binary glTF
 * Layout").
 */
export function packGlb(scene: object, data: Buffer): Buffer {
  const chunks = Buffer.concat([
    chunk(jsonChunk, padded(Buffer.from(JSON.stringify(scene)), 0x20)),
    chunk(binaryChunk, padded(data, 0)),
  ]);
  const head = Buffer.alloc(12);
  head.writeUInt32LE(glTf, 0);
  head.writeUInt32LE(2, 4);
  head.writeUInt32LE(12 + chunks.length, 8);
  return Buffer.concat([head, chunks]);
}

/** An upright square with a texture inside the file, red on its left half and blue on its right. */
export async function makeGlb(): Promise<Buffer> {
  const colors = Buffer.from([255, 0, 0, 0, 0, 255]);
  const texture = await sharp(colors, { raw: { width: 2, height: 1, channels: 3 } })
    .resize(64, 64, { kernel: "nearest", fit: "fill" })
    .png()
    .toBuffer();
  const places = new Float32Array([-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0]);
  const onTexture = new Float32Array([0, 1, 1, 1, 1, 0, 0, 0]);
  const triangles = new Uint16Array([0, 1, 2, 0, 2, 3]);
  const parts = [places, onTexture, triangles].map((part) => Buffer.from(part.buffer));
  const all = [...parts, texture];
  const bufferViews = all.map((part, index) => ({
    buffer: 0,
    byteOffset: all.slice(0, index).reduce((sum, { length }) => sum + length, 0),
    byteLength: part.length,
  }));
  const data = Buffer.concat(all);
  return packGlb(
    {
      asset: { version: "2.0" },
      scene: 0,
      scenes: [{ nodes: [0] }],
      nodes: [{ mesh: 0 }],
      meshes: [
        { primitives: [{ attributes: { POSITION: 0, TEXCOORD_0: 1 }, indices: 2, material: 0 }] },
      ],
      materials: [
        {
          doubleSided: true,
          pbrMetallicRoughness: { baseColorTexture: { index: 0 }, metallicFactor: 0 },
        },
      ],
      textures: [{ source: 0 }],
      images: [{ bufferView: 3, mimeType: "image/png" }],
      accessors: [
        {
          ...{ bufferView: 0, componentType: 5126, count: 4, type: "VEC3" },
          ...{ min: [-1, -1, 0], max: [1, 1, 0] },
        },
        { bufferView: 1, componentType: 5126, count: 4, type: "VEC2" },
        { bufferView: 2, componentType: 5123, count: 6, type: "SCALAR" },
      ],
      bufferViews,
      buffers: [{ byteLength: data.length }],
    },
    data,
  );
}
