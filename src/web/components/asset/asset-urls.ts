import type { Asset } from "#contract/entities.ts";

/** The server's thumbnails, named by their width in px: "thumb-640.webp". */
const thumbName = /^thumb-(\d+)\b/;

/** The address of an asset's file. With `download`, the server sends a file name. */
export const fileUrl = (assetId: string, { download = false } = {}): string =>
  `/api/v1/assets/${assetId}/file${download ? "?download=1" : ""}`;

/** The library's image types that every browser shows; HEIC, TIFF and JPEG XL aren't among them. */
const shownTypes = /^image\/(?:png|jpeg|webp|avif|gif|bmp|svg\+xml|x-icon|vnd\.microsoft\.icon)$/;
const widestPx = 65_535;

/** The largest picture that a browser can show: the file itself, else its widest thumbnail. */
export const pictureUrl = (asset: Pick<Asset, "id" | "kind" | "mime" | "variants">): string =>
  (shownTypes.test(asset.mime) ? null : thumbnailUrl(asset, widestPx)) ?? fileUrl(asset.id);

export const variantUrl = (assetId: string, variant: string): string =>
  `/api/v1/assets/${assetId}/variants/${encodeURIComponent(variant)}`;

/** A video's poster, shown until it plays. */
export const posterUrl = ({ id, variants }: Pick<Asset, "id" | "variants">): string | undefined =>
  variants.includes("poster.webp") ? variantUrl(id, "poster.webp") : undefined;

/**
 * The smallest thumbnail that is at least `width` device px wide, else the widest. An image without
 * thumbnails uses its file, a video its poster; null if the asset has no picture.
 */
export function thumbnailUrl(
  { id, kind, variants }: Pick<Asset, "id" | "kind" | "variants">,
  width: number,
): string | null {
  const thumbs = variants.flatMap((name) => {
    const found = thumbName.exec(name);
    return found ? [{ name, width: Number(found[1]) }] : [];
  });
  thumbs.sort((a, b) => a.width - b.width);
  const best = thumbs.find((thumb) => thumb.width >= width) ?? thumbs.at(-1);
  if (best) return variantUrl(id, best.name);
  const poster = variants.find((name) => name.startsWith("poster"));
  if (poster) return variantUrl(id, poster);
  return kind === "image" ? fileUrl(id) : null;
}
