import { useState } from "react";
import { limits } from "#contract/limits.ts";
import type { ListMoreProps } from "./list-more.tsx";

/**
 * The first few rows of a list; `more`, for ListMore, shows the loaded rows, then further pages.
 */
export function useFirstFew<T>(rows: readonly T[], query: ListMoreProps["query"], few: number) {
  const [most, setMost] = useState(few);
  const next = most + limits.pageSize;
  const more: ListMoreProps["query"] = {
    hasNextPage: rows.length > most || query.hasNextPage,
    isFetchingNextPage: query.isFetchingNextPage,
    async fetchNextPage() {
      if (rows.length < next && query.hasNextPage) await query.fetchNextPage();
      setMost(next);
    },
  };
  return { shown: rows.slice(0, most), more };
}
