import { type QueryClient, useQueries, useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { Asset } from "#contract/entities.ts";
import { limits } from "#contract/limits.ts";
import { call } from "../../../data/client.ts";
import {
  type AssetFilter,
  type Layout,
  layoutQuery,
  pageQuery,
} from "../../../data/queries/library.queries.ts";
import type { PageRange } from "./use-pages-in-sight.ts";

const pageOf = (index: number): number => Math.floor(index / limits.pageSize);
const listPages = ({ first, last }: PageRange): number[] =>
  Array.from({ length: Math.max(0, last - first + 1) }, (_, place) => first + place);
const pagesBetween = (first: number, last: number): number[] =>
  listPages({ first: pageOf(first), last: pageOf(last) });

const isSame = (a: Layout, b: Layout): boolean =>
  a.count === b.count &&
  a.packedRatios === b.packedRatios &&
  a.cursors.every((cursor, page) => cursor === b.cursors[page]) &&
  a.groups.length === b.groups.length &&
  a.groups.every(({ count }, index) => count === b.groups[index]?.count) &&
  a.times.every(
    ({ at, count }, index) => at === b.times[index]?.at && count === b.times[index]?.count,
  );

/** All items that match a filter; only the visible pages are loaded. */
export type Gallery = ReturnType<typeof useGallery>;

/**
 * A new layout, after a change or with another filter, is shown together with its visible pages, so
 * that nothing flickers. `inSight` are the pages that the grid renders now.
 */
export function useGallery(projectId: string, filter: AssetFilter, inSight: PageRange) {
  const queryClient = useQueryClient();
  const fresh = useQuery(layoutQuery(projectId, filter));
  const [shown, setShown] = useState<{
    layout: Layout;
    filter: AssetFilter;
    projectId: string;
  } | null>(null);
  const latest = useRef(inSight);
  useEffect(() => {
    latest.current = inSight;
  });

  useEffect(() => {
    const layout = fresh.data;
    if (!layout) return undefined;
    let isLate = false;
    const isOther = shown?.filter !== filter || shown.projectId !== projectId;
    if (!isOther && shown && (shown.layout === layout || isSame(shown.layout, layout)))
      return undefined;
    const pages = listPages(isOther ? { first: 0, last: 0 } : latest.current);
    void loadPages(queryClient, projectId, filter, layout, pages)
      .catch(() => undefined)
      .then(() => {
        if (!isLate) setShown({ layout, filter, projectId });
      });
    return () => {
      isLate = true;
    };
  }, [queryClient, fresh.data, projectId, filter, shown]);

  // While another filter's layout loads, the previous one keeps its pages.
  const layout = shown?.layout;
  const shownFilter = shown?.filter ?? filter;
  const shownProject = shown?.projectId ?? projectId;
  const pages = useQueries({
    queries: listPages(inSight).flatMap((page) => {
      const cursor = layout?.cursors[page];
      return cursor === undefined ? [] : [pageQuery(shownProject, shownFilter, cursor)];
    }),
    combine: combinePages,
  });

  const at = useCallback(
    (index: number): Asset | undefined => {
      const cursor = layout?.cursors[pageOf(index)];
      if (cursor === undefined) return undefined;
      return queryClient.getQueryData(pageQuery(shownProject, shownFilter, cursor).queryKey)
        ?.assets[index % limits.pageSize];
    },
    [queryClient, layout, shownProject, shownFilter],
  );

  const indexOf = useCallback(
    (assetId: string): number | null => {
      for (const [page, cursor] of (layout?.cursors ?? []).entries()) {
        const place = queryClient
          .getQueryData(pageQuery(shownProject, shownFilter, cursor).queryKey)
          ?.assets.findIndex(({ id }) => id === assetId);
        if (place !== undefined && place >= 0) return page * limits.pageSize + place;
      }
      return null;
    },
    [queryClient, layout, shownProject, shownFilter],
  );

  const isTurning = shown !== null && (shown.filter !== filter || shown.projectId !== projectId);
  const isMissing = fresh.data === undefined && (layout === undefined || isTurning);
  const isCurrent =
    !fresh.isFetching &&
    fresh.data !== undefined &&
    layout !== undefined &&
    (layout === fresh.data || isSame(layout, fresh.data));
  return useMemo(
    () => ({
      layout,
      /** The layout's filter; the previous one while another loads. */
      filter: shownFilter,
      /** The asset at an index, if its page is loaded. */
      at,
      /** The index of an asset, if its page is loaded. */
      indexOf,
      /** The assets of the visible pages, by id. */
      known: new Map(
        pages.loaded.flatMap((page) => page?.assets ?? []).map((asset) => [asset.id, asset]),
      ),
      /** Changes with the visible pages, so that callers of `at` rerender. */
      pages,
      error: isMissing ? fresh.error : null,
      retry: () => void fresh.refetch(),
      /** Whether nothing newer than this layout is loading. */
      isCurrent,
      /** Whether another filter's gallery loads while this one is still shown. */
      isTurning,
      /** Looks up an asset's index anywhere in the list. */
      seek: async (assetId: string): Promise<number | null> => {
        const query = { projectId: shownProject, ...shownFilter, assetId };
        const { index } = await call("locateAsset", { query });
        if (!layout || index === null) return null;
        await loadPages(queryClient, shownProject, shownFilter, layout, [pageOf(index)]);
        // Items may have been added or removed since this layout was made.
        return indexOf(assetId);
      },
      /** Loads the assets between two indexes, inclusive, in order. */
      load: async (first: number, last: number): Promise<Asset[]> => {
        if (!layout) return [];
        await loadPages(queryClient, shownProject, shownFilter, layout, pagesBetween(first, last));
        return Array.from({ length: last - first + 1 }, (_, place) => at(first + place)).filter(
          (asset) => asset !== undefined,
        );
      },
    }),
    [
      queryClient,
      layout,
      at,
      indexOf,
      pages,
      isCurrent,
      isTurning,
      isMissing,
      fresh.error,
      fresh.refetch,
      shownFilter,
      shownProject,
    ],
  );
}

const combinePages = (
  answers: { data?: { assets: Asset[] }; error: Error | null; refetch: () => unknown }[],
) => {
  const failed = answers.filter(({ error, data }) => error && !data);
  return {
    loaded: answers.map(({ data }) => data),
    error: failed[0]?.error ?? null,
    retry: () => {
      for (const answer of failed) answer.refetch();
    },
  };
};

async function loadPages(
  queryClient: QueryClient,
  projectId: string,
  filter: AssetFilter,
  layout: Layout,
  pages: readonly number[],
) {
  const waiting = pages.flatMap((page) => layout.cursors[page] ?? []);
  // Four at a time: browsers open six connections per server, and pictures need some of them.
  const next = async (): Promise<void> => {
    for (let cursor = waiting.shift(); cursor !== undefined; cursor = waiting.shift())
      await queryClient.fetchQuery(pageQuery(projectId, filter, cursor));
  };
  await Promise.all(Array.from({ length: 4 }, next));
}
