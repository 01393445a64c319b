import type { Sharp } from "sharp";
import sharp from "sharp";

/** Runs in the media worker. `bytes` is a thumbnail made by this program. */
export type HashTask = { kind: "hash"; bytes: Uint8Array };

const columns = 9;
const rows = 8;

/**
 * The difference hash of Neal Krawetz ("Kind of Like That", hackerfactor.com, 2013): 9 by 8 grays,
 * and for each two neighbors in a row whether the right one is brighter. Resizing, recompression
 * and contrast changes hardly affect its 64 bits.
 * @returns 16 hex digits; null for a single-color picture, which is similar to nothing
 */
export async function hashPicture(picture: Sharp): Promise<string | null> {
  const { data, info } = await picture
    .flatten({ background: "#fff" })
    .grayscale()
    .resize({ width: columns, height: rows, fit: "fill", kernel: "lanczos3" })
    .raw()
    .toBuffer({ resolveWithObject: true });
  const at = (row: number, column: number) => data[(row * columns + column) * info.channels]!;
  let bits = 0n;
  for (let row = 0; row < rows; row += 1)
    for (let column = 0; column < columns - 1; column += 1)
      bits = (bits << 1n) | (at(row, column + 1) > at(row, column) ? 1n : 0n);
  return bits === 0n ? null : bits.toString(16).padStart(16, "0");
}

/** The hash of a thumbnail; null if it can't be read. */
export const hashThumbnail = ({ bytes }: HashTask): Promise<string | null> =>
  hashPicture(sharp(bytes)).catch(() => null);
