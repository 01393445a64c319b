/** How many bytes of the file's beginning are read. */
const heicHeadBytes = 64;

const brands = ["heic", "heix", "heim", "heis", "hevc", "hevx", "hevm", "hevs"];

/** Whether a media type is that of a HEIC photo or a sequence of them. */
export const isHeicType = (mime: string): boolean => /^image\/hei[cf]\b/.test(mime);

/**
 * Whether a file is a HEIC photo (ISO/IEC 23008-12). Its codec isn't built in, so the file can't
 * be read although it isn't damaged: sharp's libheif has no HEVC decoder, because it is patented, and
 * npm's other decoders contain libheif and libde265, which are LGPL.
 */
export function isHeic(head: Uint8Array): boolean {
  const text = String.fromCharCode(...head.subarray(0, heicHeadBytes));
  if (text.slice(4, 8) !== "ftyp") return false;
  // AVIF has the same general brand, but different specific ones.
  const size = new DataView(head.buffer, head.byteOffset, 4).getUint32(0);
  const named = text.slice(8, Math.max(12, Math.min(size, heicHeadBytes)));
  return brands.some((brand) => named.includes(brand));
}
