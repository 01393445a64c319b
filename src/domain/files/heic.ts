/** So many bytes from the beginning tell what a file is. */
const heicHeadBytes = 64;

const brands = ["heic", "heix", "heim", "heis", "hevc", "hevx", "hevm", "hevs"];

/** Whether a file is a HEIC photo (ISO/IEC 23008-12), which is not damaged, but whose codec is patented and not built in. */
export function isHeic(head: Uint8Array): boolean {
  const text = String.fromCharCode(...head.subarray(0, heicHeadBytes));
  if (text.slice(4, 8) !== "ftyp") return false;
  // The brands of an AVIF are others, behind the same general one.
  const size = new DataView(head.buffer, head.byteOffset, 4).getUint32(0);
  const named = text.slice(8, Math.max(12, Math.min(size, heicHeadBytes)));
  return brands.some((brand) => named.includes(brand));
}
