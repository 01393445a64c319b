import type { Metadata } from "sharp";
import sharp from "sharp";
import { rgbaToThumbHash } from "thumbhash";
import { Problem } from "#contract/errors.ts";
import { sentences } from "#contract/sentences/index.ts";
import { hashPicture } from "./picture-hash.ts";

/** Runs in the media worker. `widths` are in pixels. */
export type PictureTask = {
  kind: "picture";
  /** The file's path or its content. */
  source: string | Uint8Array;
  pixelsMost: number;
  sideMost: number;
  widths: number[];
  timeLimitMs: number;
};

/**
 * Width and height as displayed, with the camera's orientation applied. `scaled` holds a WebP for
 * each requested width, never enlarged.
 */
export type PictureResult = {
  width: number;
  height: number;
  thumbhash: string;
  phash: string | null;
  scaled: { width: number; bytes: Uint8Array }[];
};

/**
 * The greatest height of a scaled picture as a multiple of its width; taller pictures shrink to it.
 * WebP's limit is 16,383 pixels.
 */
const tallest = 4;

const maxThumbhash = 100;
const quality = 80;

/**
 * Reads a picture's first frame once and derives all scaled versions from it.
 * @throws Problem too_large beyond `pixelsMost` or with a side beyond `sideMost`, before anything
 *   is decoded
 * @throws Problem unsupported_media if the picture is damaged, truncated or has no pixels
 */
export async function readPicture(task: PictureTask): Promise<PictureResult> {
  const { source, pixelsMost, sideMost, widths } = task;
  const { autoOrient, width, height } = await probe(source);
  if (!(width > 0) || !(height > 0)) throw damaged("it has no pixels");
  if (width * height > pixelsMost || Math.max(width, height) > sideMost) {
    throw new Problem("too_large", {
      field: "file",
      message: sentences.media.pictureTooLargeToRead({
        width,
        height,
        megapixels: pixelsMost / 1_000_000,
        side: sideMost,
      }),
    });
  }
  const largest = await decode(task, Math.max(...widths));
  const scaled: PictureResult["scaled"] = [];
  for (const wanted of widths) scaled.push({ width: wanted, bytes: await largest.scale(wanted) });
  return {
    width: autoOrient.width,
    height: autoOrient.height,
    thumbhash: await largest.thumbhash(),
    phash: await hashPicture(largest.open()),
    scaled,
  };
}

async function probe(source: PictureTask["source"]): Promise<Metadata> {
  try {
    // Our own limit applies instead, so that the error can state the size; reading a header is
    // cheap.
    return await sharp(source, { limitInputPixels: false }).metadata();
  } catch (error) {
    throw damaged("the file is damaged or incomplete", error);
  }
}

/** Decodes the first frame, upright and in sRGB, at most this wide. */
async function decode({ source, pixelsMost, timeLimitMs }: PictureTask, width: number) {
  const seconds = Math.max(1, Math.ceil(timeLimitMs / 1_000));
  const { data, info } = await sharp(source, {
    pages: 1,
    limitInputPixels: pixelsMost,
    failOn: "truncated",
  })
    .autoOrient()
    .resize({ width, height: width * tallest, fit: "inside", withoutEnlargement: true })
    .toColourspace("srgb")
    .ensureAlpha()
    .raw()
    .timeout({ seconds })
    .toBuffer({ resolveWithObject: true })
    .catch((error: unknown) => {
      throw damaged("the file is damaged or incomplete", error);
    });
  const open = () => sharp(data, { raw: { width: info.width, height: info.height, channels: 4 } });
  return {
    open,
    async scale(to: number): Promise<Uint8Array> {
      const small = open().resize({
        width: to,
        height: to * tallest,
        fit: "inside",
        withoutEnlargement: true,
      });
      return small.webp({ quality }).toBuffer();
    },
    async thumbhash(): Promise<string> {
      const tiny = open().resize({
        width: maxThumbhash,
        height: maxThumbhash,
        fit: "inside",
        withoutEnlargement: true,
      });
      const pixels = await tiny.raw().toBuffer({ resolveWithObject: true });
      return Buffer.from(
        rgbaToThumbHash(pixels.info.width, pixels.info.height, pixels.data),
      ).toString("base64");
    },
  };
}

function damaged(why: string, cause?: unknown): Problem {
  return new Problem(
    "unsupported_media",
    { field: "file", message: sentences.media.pictureNotRead({ reason: why }) },
    { cause },
  );
}
