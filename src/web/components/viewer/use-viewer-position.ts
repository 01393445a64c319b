import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { keys } from "../../data/keys.ts";
import type { ViewerList, ViewerLists } from "./viewer-lists.tsx";

export type ViewerPosition = {
  list: ViewerList | null;
  /** Null while the asset is being looked up, and if the list doesn't contain it. */
  index: number | null;
  before: number | null;
  after: number | null;
  /** Whether the list is loading, or the asset is being sought in it. */
  isComing: boolean;
};

/** The shown asset's position in the list from which it was opened. */
export function useViewerPosition(
  { lists, isComing }: ViewerLists,
  assetId: string,
): ViewerPosition {
  const holder = lists.find((list) => list.indexOf(assetId) !== null);
  const seeking = holder ? undefined : lists.find((list) => list.seek);
  const firstId = seeking?.idAt(0);
  const { data: sought = null, isLoading: isSeeking } = useQuery({
    queryKey: keys.neighbours(assetId, firstId, seeking?.count),
    queryFn: async () => (await seeking?.seek?.(assetId)) ?? null,
    enabled: seeking !== undefined,
    gcTime: 0,
    retry: false,
  });
  /**
   * The last position, because an asset may leave its list while it is shown, such as one that is
   * no longer kept.
   */
  const last = useRef<{ index: number; list: ViewerList } | null>(null);
  const list = holder ?? seeking ?? lists.find((one) => one.count > 0) ?? null;
  const index = holder ? holder.indexOf(assetId) : sought;
  useEffect(() => {
    if (list && index !== null) last.current = { index, list };
  });
  const nowhere = {
    list: null,
    index: null,
    before: null,
    after: null,
    isComing: isComing || isSeeking,
  };
  if (!list) return nowhere;
  if (index !== null)
    return {
      list,
      index,
      before: index > 0 ? index - 1 : null,
      after: index + 1 < list.count ? index + 1 : null,
      isComing: false,
    };
  const left = last.current?.index;
  if (left === undefined) return nowhere;
  return {
    list,
    index: null,
    before: left > 0 ? left - 1 : null,
    after: left < list.count ? left : null,
    isComing: false,
  };
}
