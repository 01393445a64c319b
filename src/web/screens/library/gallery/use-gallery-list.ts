import { type RefObject, useMemo, useState } from "react";
import type { ViewerList } from "../../../components/viewer/viewer-lists.tsx";
import type { GalleryHandle } from "./gallery.tsx";
import type { Gallery } from "./use-gallery.ts";

/** The gallery's items as a list for the viewer. */
export function useGalleryList(
  gallery: Gallery,
  grid: RefObject<GalleryHandle | null>,
): ViewerList | "coming" | null {
  const { layout, error, isTurning, at, load } = gallery;
  /** Where assets were seen last. It outlives a gallery, which changes as the grid scrolls. */
  const [places] = useState(() => new Map<string, number>());
  return useMemo(() => {
    if (error) return null;
    if (!layout) return "coming";
    if (layout.count === 0) return isTurning ? "coming" : null;
    const idAt = (index: number) => {
      const id = at(index)?.id;
      // The viewer asks for the place of each asset that it turns to.
      if (id !== undefined) places.set(id, index);
      return id;
    };
    return {
      count: layout.count,
      at,
      idAt,
      indexOf: (assetId: string) => {
        const known = places.get(assetId);
        if (known !== undefined && idAt(known) === assetId) return known;
        const index = gallery.indexOf(assetId);
        if (index !== null) places.set(assetId, index);
        return index;
      },
      seek: gallery.seek,
      load,
      ratioAt: (index) => (layout.ratios[index] ?? 1_000) / 1_000,
      reveal: (index) => grid.current?.reveal(index),
    };
  }, [gallery, layout, error, isTurning, at, load, grid, places]);
}
