import { useEffect, useRef, useState } from "react";
import { limits } from "#contract/limits.ts";

/** Pages of the gallery, inclusive; `last` is less than `first` if nothing is rendered. */
export type PageRange = { first: number; last: number };

/** During a long scroll, pages load only when it stops. */
const restMs = 90;

/** The pages that the gallery renders, derived from its items. Changes per page, not per item. */
export function usePagesInSight(): [PageRange, (firstItem: number, lastItem: number) => void] {
  const [pages, setPages] = useState<PageRange>({ first: 0, last: -1 });
  const timer = useRef<number | undefined>(undefined);
  useEffect(() => () => window.clearTimeout(timer.current), []);
  const report = (firstItem: number, lastItem: number) => {
    const next = {
      first: Math.floor(firstItem / limits.pageSize),
      last: Math.floor(lastItem / limits.pageSize),
    };
    window.clearTimeout(timer.current);
    const show = () =>
      setPages((now) => (now.first === next.first && now.last === next.last ? now : next));
    const isNear =
      pages.last < pages.first || (next.first <= pages.last + 1 && next.last >= pages.first - 1);
    if (isNear) show();
    else timer.current = window.setTimeout(show, restMs);
  };
  return [pages, report];
}
