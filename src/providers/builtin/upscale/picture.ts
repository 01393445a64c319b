import sharp from "sharp";
import { sentences } from "#contract/sentences/index.ts";
import { invalidInput } from "../input.ts";

/** 4 megapixels become 16: 64 MB as 8-bit RGBA, and about 80 seconds of one core. */
const maxUpscalePixels = 4_194_304;

export type Pixels = { rgb: Uint8Array; alpha: Uint8Array | null; width: number; height: number };

/**
 * Decodes a picture as sRGB, upright.
 * @throws ProviderError("provider_invalid_input") for the field "image"
 */
export async function decodePicture(bytes: Uint8Array, name: string): Promise<Pixels> {
  const options = { limitInputPixels: maxUpscalePixels };
  const { width, height } = await sharp(bytes, { limitInputPixels: false })
    .metadata()
    .catch((cause) => unreadable(name, cause));
  if (width * height > maxUpscalePixels) {
    throw invalidInput(
      "image",
      sentences.media.tooLargeToUpscale({
        picture: name,
        width,
        height,
        most: maxUpscalePixels.toLocaleString("en-US"),
      }),
    );
  }
  const upright = sharp(bytes, options).autoOrient().toColourspace("srgb");
  const { data, info } = await upright
    .ensureAlpha()
    .raw({ depth: "uchar" })
    .toBuffer({ resolveWithObject: true })
    .catch((cause) => unreadable(name, cause));
  return splitAlpha(data, info.width, info.height);
}

function unreadable(name: string, cause: unknown): never {
  throw invalidInput("image", sentences.media.pictureUnreadable({ picture: name }), cause);
}

/** Drops an alpha channel that is opaque everywhere. */
function splitAlpha(rgba: Uint8Array, width: number, height: number): Pixels {
  const rgb = new Uint8Array(width * height * 3);
  const alpha = new Uint8Array(width * height);
  for (let pixel = 0; pixel < alpha.length; pixel++) {
    rgb.set(rgba.subarray(pixel * 4, pixel * 4 + 3), pixel * 3);
    alpha[pixel] = rgba[pixel * 4 + 3]!;
  }
  return { rgb, alpha: alpha.every((value) => value === 255) ? null : alpha, width, height };
}

/**
 * Encodes a PNG without metadata. The alpha channel, which the network doesn't know, is doubled by
 * Lanczos.
 */
export async function encodePicture(doubled: Uint8Array, source: Pixels): Promise<Uint8Array> {
  const size = { width: source.width * 2, height: source.height * 2 };
  const picture = sharp(doubled, { raw: { ...size, channels: 3 } });
  if (!source.alpha) return picture.png().toBuffer();
  const alpha = await sharp(source.alpha, {
    raw: { width: source.width, height: source.height, channels: 1 },
  })
    .resize(size.width, size.height, { kernel: "lanczos3" })
    .extractChannel(0)
    .raw()
    .toBuffer();
  return picture
    .joinChannel(alpha, { raw: { ...size, channels: 1 } })
    .png()
    .toBuffer();
}
