import sharp from "sharp";
import type { Design } from "./design.ts";
import { createRandom } from "./random.ts";

type Size = { width: number; height: number };

const sheet = (size: Size, drawn: Size, body: string): Buffer =>
  Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${drawn.width}" height="${drawn.height}" viewBox="0 0 ${size.width} ${size.height}">${body}</svg>`,
  );

/** Renders the whole drawing small and soft, as a preview before the layers are painted. WebP. */
export async function paintPreview(
  design: Design,
  size: Size,
  longest: number,
): Promise<Uint8Array> {
  const scale = longest / Math.max(size.width, size.height);
  const small = {
    width: Math.max(1, Math.round(size.width * scale)),
    height: Math.max(1, Math.round(size.height * scale)),
  };
  const layers = design.layers.map((layer) => ({ input: sheet(size, small, layer.svg) }));
  const base = sharp({ create: { ...small, channels: 3, background: "#fff" } });
  return base.composite(layers).webp({ quality: 70 }).toBuffer();
}

/**
 * Paints the layers in order, reports each one, adds the grain and returns a PNG without metadata.
 */
export async function paintPicture(
  design: Design,
  size: Size,
  seed: number,
  onLayer: (done: number) => Promise<void>,
): Promise<Uint8Array> {
  const canvas = new Uint8Array(size.width * size.height * 3);
  for (const [index, layer] of design.layers.entries()) {
    const paint = await sharp(sheet(size, size, layer.svg))
      .ensureAlpha()
      .raw()
      .toBuffer();
    lay(canvas, paint);
    await onLayer(index + 1);
  }
  addGrain(canvas, size, seed);
  return sharp(canvas, { raw: { ...size, channels: 3 } })
    .png({ compressionLevel: 7, adaptiveFiltering: false })
    .toBuffer();
}

/** Straight-alpha RGBA over RGB. */
function lay(canvas: Uint8Array, paint: Uint8Array): void {
  for (let from = 0, to = 0; to < canvas.length; from += 4, to += 3) {
    const cover = paint[from + 3]!;
    if (cover === 0) continue;
    for (let channel = 0; channel < 3; channel++) {
      const under = canvas[to + channel]!;
      canvas[to + channel] = under + Math.round(((paint[from + channel]! - under) * cover) / 255);
    }
  }
}

/**
 * Paper grain: the same lightness noise in all channels, partly in blocks of 2 x 2, about ±5 of
 * 255.
 */
function addGrain(canvas: Uint8Array, { width, height }: Size, seed: number): void {
  const random = createRandom(`grain ${seed}`);
  const coarseWidth = (width + 1) >> 1;
  const coarse = new Float32Array(coarseWidth * ((height + 1) >> 1)).map(
    () => (random.next() - 0.5) * 5,
  );
  for (let y = 0, at = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const noise = Math.round(
        (random.next() + random.next() - 1) * 6 + coarse[(y >> 1) * coarseWidth + (x >> 1)]!,
      );
      for (let channel = 0; channel < 3; channel++, at++)
        canvas[at] = Math.min(255, Math.max(0, canvas[at]! + noise));
    }
  }
}
