import { randomBytes } from "node:crypto";
import sharp from "sharp";
import { openBlobStore } from "#blobs/open-storage.ts";
import { createMedia } from "#engine/ingest/media/media.ts";
import type { Picture } from "./seed-assets.ts";

const shapes = [
  [1024, 1024],
  [832, 1216],
  [1216, 832],
  [1536, 1024],
  [768, 1344],
] as const;
const kinds = 20;

/** Real pictures with thumbnails, stored like the engine does, for a gallery that repeats them. */
export async function storePictures(dataFolder: string): Promise<Picture[]> {
  const blobs = openBlobStore(undefined, dataFolder, {});
  const media = createMedia({ blobs, scratchFolder: dataFolder });
  try {
    return await Promise.all(Array.from({ length: kinds }, (_, i) => storePicture(i)));
  } finally {
    await media.close();
  }

  async function storePicture(i: number): Promise<Picture> {
    const [width, height] = shapes[i % shapes.length]!;
    // A few colored points, enlarged: about as hard to render as an out-of-focus photo.
    const points = randomBytes(8 * 8 * 3);
    const bytes = await sharp(points, { raw: { width: 8, height: 8, channels: 3 } })
      .resize(width, height, { fit: "fill" })
      .webp()
      .toBuffer();
    const source = (async function* () {
      yield new Uint8Array(bytes);
    })();
    const stored = await blobs.put(source, { mime: "image/webp" });
    const facts = await media.describe(stored.sha256, { mime: "image/webp", kind: "image" });
    return {
      ...stored,
      mime: "image/webp",
      width,
      height,
      thumbhash: facts.thumbhash,
      variants: JSON.stringify(facts.variants),
    };
  }
}
