import { useQuery } from "@tanstack/react-query";
import { keys } from "../../../data/keys.ts";
import type { Gallery } from "../gallery/use-gallery.ts";

export type Neighbours = {
  index: number;
  count: number;
  beforeId: string | null;
  afterId: string | null;
} | null;

/** The position of an asset in the filtered gallery, and its neighbors. Null while it loads, or if the filter excludes the asset. */
export function useNeighbours(gallery: Gallery, assetId: string | undefined): Neighbours {
  const { layout, load } = gallery;
  const { data } = useQuery({
    queryKey: keys.neighbours(assetId, layout?.cursors[0], layout?.count),
    queryFn: async () => {
      if (!layout || assetId === undefined) return null;
      const index = await findIndex(gallery, layout.count, assetId);
      if (index === null) return null;
      const [before] = index > 0 ? await load(index - 1, index - 1) : [];
      const [after] = index + 1 < layout.count ? await load(index + 1, index + 1) : [];
      return {
        index,
        count: layout.count,
        beforeId: before?.id ?? null,
        afterId: after?.id ?? null,
      };
    },
    enabled: layout !== undefined && assetId !== undefined,
    gcTime: 0,
    retry: false,
  });
  return data ?? null;
}

/** The gallery is newest first and ids grow with time (UUIDv7), so eleven pages find one among 100,000. */
async function findIndex(
  { load }: Gallery,
  count: number,
  assetId: string,
): Promise<number | null> {
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
