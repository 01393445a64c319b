import type { Asset } from "#contract/entities.ts";

/** Names of the server's thumbnails: "thumb-640.webp" and its kin, by their width in px. */
const thumbName = /^thumb-(\d+)\b/;

/** The bytes of an asset. `download` answers with a file name for the disk. */
export const fileUrl = (assetId: string, { download = false } = {}): string =>
  `/api/v1/assets/${assetId}/file${download ? "?download=1" : ""}`;

/** What every browser shows of the pictures that the library takes: not HEIC, TIFF or JPEG XL. */
const shownTypes = /^image\/(?:png|jpeg|webp|avif|gif|bmp|svg\+xml|x-icon|vnd\.microsoft\.icon)$/;
const widestPx = 65_535;

/** A picture as large as a browser can show it: the file itself, else its widest thumbnail. */
export const pictureUrl = (asset: Pick<Asset, "id" | "kind" | "mime" | "variants">): string =>
  (shownTypes.test(asset.mime) ? null : thumbnailUrl(asset, widestPx)) ?? fileUrl(asset.id);

export const variantUrl = (assetId: string, variant: string): string =>
  `/api/v1/assets/${assetId}/variants/${encodeURIComponent(variant)}`;

/** The picture that stands for a film until it plays. */
export const posterUrl = ({ id, variants }: Pick<Asset, "id" | "variants">): string | undefined =>
  variants.includes("poster.webp") ? variantUrl(id, "poster.webp") : undefined;

/**
 * The smallest thumbnail that is at least `width` device px wide, else the widest; the poster or the file itself where a
 * picture has none; null for what has no picture.
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
