import { type RefObject, useMemo } from "react";
import type { ViewerList } from "../../../components/viewer/viewer-lists.tsx";
import type { GalleryHandle } from "./gallery.tsx";
import type { Gallery } from "./use-gallery.ts";

/** The gallery as the viewer goes through it. */
export function useGalleryList(
  gallery: Gallery,
  grid: RefObject<GalleryHandle | null>,
): ViewerList | null {
  const { layout, at, load } = gallery;
  return useMemo(() => {
    if (!layout || layout.count === 0) return null;
    const places = new Map<string, number>();
    const idAt = (index: number) => at(index)?.id;
    return {
      count: layout.count,
      at,
      idAt,
      indexOf: (assetId) => {
        const known = places.get(assetId);
        if (known !== undefined && idAt(known) === assetId) return known;
        const index = gallery.indexOf(assetId);
        if (index !== null) places.set(assetId, index);
        return index;
      },
      seek: (assetId) => seekIndex(gallery, layout.count, assetId),
      load,
      ratioAt: (index) => (layout.ratios[index] ?? 1_000) / 1_000,
      reveal: (index) => grid.current?.reveal(index),
    };
  }, [gallery, layout, at, load, grid]);
}

/** The gallery is newest first and ids grow with time (UUIDv7), so eleven pages find one among 100,000. */
async function seekIndex({ load }: Gallery, count: number, assetId: string) {
  let low = 0;
  let high = count - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const [asset] = await load(middle, middle);
    if (!asset) return null;
    if (asset.id === assetId) return middle;
    if (asset.id > assetId) low = middle + 1;
    else high = middle - 1;
  }
  return null;
}
