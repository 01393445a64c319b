import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { keys } from "../../data/keys.ts";
import type { ViewerList } from "./viewer-lists.tsx";

export type ViewerPlace = {
  list: ViewerList | null;
  /** Null while it is sought, and where the list doesn't hold the asset. */
  index: number | null;
  before: number | null;
  after: number | null;
};

/** Where the shown asset is in the list that it was opened from. */
export function useViewerPlace(lists: readonly ViewerList[], assetId: string): ViewerPlace {
  const holder = lists.find((list) => list.indexOf(assetId) !== null);
  const seeking = holder ? undefined : lists.find((list) => list.seek);
  const firstId = seeking?.idAt(0);
  const { data: sought = null } = useQuery({
    queryKey: keys.neighbours(assetId, firstId, seeking?.count),
    queryFn: async () => (await seeking?.seek?.(assetId)) ?? null,
    enabled: seeking !== undefined,
    gcTime: 0,
    retry: false,
  });
  /** Where it last was: an asset may leave its list while it is shown, as an unkept one leaves Kept. */
  const last = useRef<{ index: number; list: ViewerList } | null>(null);
  const list = holder ?? seeking ?? lists.find((one) => one.count > 0) ?? null;
  const index = holder ? holder.indexOf(assetId) : sought;
  useEffect(() => {
    if (list && index !== null) last.current = { index, list };
  });
  if (!list) return { list: null, index: null, before: null, after: null };
  if (index !== null)
    return {
      list,
      index,
      before: index > 0 ? index - 1 : null,
      after: index + 1 < list.count ? index + 1 : null,
    };
  const left = last.current?.index;
  if (left === undefined) return { list: null, index: null, before: null, after: null };
  return {
    list,
    index: null,
    before: left > 0 ? left - 1 : null,
    after: left < list.count ? left : null,
  };
}
