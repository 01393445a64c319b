import sharp from "sharp";
import { expect, it } from "vitest";
import { type Adjustment, adjustPixels, noAdjustment } from "./adjust-pixels.ts";

const [width, height] = [96, 64];
/** Colors of every kind, with soft and hard edges. */
const picture = Buffer.from(
  Array.from({ length: width * height }, (_, at) => {
    const [x, y] = [at % width, Math.floor(at / width)];
    const isInside = (x >> 4) % 2 === (y >> 4) % 2;
    return [(x * 255) / width, (y * 255) / height, isInside ? 220 : 40, 255];
  }).flat(),
);

/** In the form of src/providers/builtin/edit/adjust.ts. */
function onServer(asked: Adjustment): Promise<Buffer> {
  const { brightness, contrast, saturation, hue, sharpen, blur, grayscale } = asked;
  let pipeline = sharp(picture, { raw: { width, height, channels: 4 } }).removeAlpha();
  if (brightness !== 1 || saturation !== 1 || hue !== 0)
    pipeline = pipeline.modulate({ brightness, saturation, hue });
  if (contrast !== 1) pipeline = pipeline.linear(contrast, 128 * (1 - contrast));
  if (grayscale) pipeline = pipeline.grayscale();
  if (blur) pipeline = pipeline.blur(blur);
  if (sharpen) pipeline = pipeline.sharpen({ sigma: sharpen });
  return pipeline.toColourspace("srgb").raw().toBuffer();
}

it.each([
  ["brightness", { brightness: 1.35 }, 1],
  ["darkness", { brightness: 0.6 }, 1],
  ["contrast", { contrast: 1.6 }, 1],
  ["saturation", { saturation: 1.8 }, 1],
  ["hue", { hue: 120 }, 1],
  ["black and white", { grayscale: true }, 1],
  ["blur", { blur: 3 }, 2],
  ["sharpen", { sharpen: 1.5 }, 2],
  ["everything", { brightness: 1.1, contrast: 1.2, saturation: 0.7, hue: -30, blur: 1 }, 2],
  ["black and white with light", { grayscale: true, brightness: 1.2, contrast: 1.3 }, 2],
] as const)("the preview of %s equals the built-in model's result", async (_, change, mostOff) => {
  const asked: Adjustment = { ...noAdjustment, ...change };
  const preview = { data: new Uint8ClampedArray(picture), width, height };
  adjustPixels(preview, asked, 1);
  const made = await onServer(asked);
  const channels = made.length / (width * height);
  let sum = 0;
  for (let at = 0; at < width * height; at += 1)
    for (let channel = 0; channel < 3; channel += 1)
      sum += Math.abs(
        preview.data[at * 4 + channel]! - made[at * channels + (channels < 3 ? 0 : channel)]!,
      );
  expect(sum / (width * height * 3)).toBeLessThan(mostOff);
});
