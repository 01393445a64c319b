import { useMemo } from "react";
import { listOfAssets, useViewerList } from "../../../components/viewer/viewer-lists.tsx";
import type { FeedBatch } from "../../../data/queries/create.queries.ts";

/** Offers the feed's files to the viewer, in the order of their tiles. */
export function useFeedList(
  batches: readonly FeedBatch[],
  scrollToBatch: (index: number) => void,
): void {
  const list = useMemo(() => {
    const tiles = batches.flatMap(({ runs, assets }, batch) =>
      runs.flatMap((run) =>
        assets.filter(({ runId }) => runId === run.id).map((asset) => ({ asset, batch })),
      ),
    );
    return listOfAssets(
      tiles.map(({ asset }) => asset),
      { reveal: (index) => scrollToBatch(tiles[index]?.batch ?? 0) },
    );
  }, [batches, scrollToBatch]);
  useViewerList(list.count > 0 ? list : null);
}
