/** How many bytes of the file's beginning are read. */
const heicHeadBytes = 64;

const brands = ["heic", "heix", "heim", "heis", "hevc", "hevx", "hevm", "hevs"];

/**
 * Whether a file is a HEIC photo (ISO/IEC 23008-12). Its codec is patented and not built in, so the
 * file can't be read although it isn't damaged.
 */
export function isHeic(head: Uint8Array): boolean {
  const text = String.fromCharCode(...head.subarray(0, heicHeadBytes));
  if (text.slice(4, 8) !== "ftyp") return false;
  // AVIF has the same general brand, but different specific ones.
  const size = new DataView(head.buffer, head.byteOffset, 4).getUint32(0);
  const named = text.slice(8, Math.max(12, Math.min(size, heicHeadBytes)));
  return brands.some((brand) => named.includes(brand));
}
