import { useInfiniteQuery } from "@tanstack/react-query";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useEffect, useRef } from "react";
import type { Model } from "#contract/entities.ts";
import { type ModelFilter, modelsQuery, withoutModels } from "../../data/queries/models.queries.ts";
import { t } from "../../messages/t.ts";
import { ErrorState } from "../../ui/display/error-state.tsx";
import { Skeleton } from "../../ui/display/skeleton.tsx";
import { exactFirst } from "./exact-first.ts";
import styles from "./model-list.module.css";

const rowPx = 60;
const overscanRows = 8;

export type ModelListProps = {
  projectId: string;
  filter: ModelFilter;
  /** Models shown first, in this order, and not repeated below. */
  first?: readonly Model[];
  /** Filters rows by criteria that the catalog's filter lacks. */
  keep?: (model: Model) => boolean;
  renderRow: (model: Model) => ReactNode;
  empty: ReactNode;
};

/**
 * A virtual list of models of any length. The next page is requested before its rows become
 * visible.
 */
export function ModelList({
  projectId,
  filter,
  first = [],
  keep,
  renderRow,
  empty,
}: ModelListProps) {
  // The virtualizer is a mutable object. The React compiler would memoize the rows from its first
  // state.
  "use no memo";
  const query = useInfiniteQuery(modelsQuery(projectId, filter));
  const scroller = useRef<HTMLDivElement>(null);
  const loaded = query.data?.pages.flatMap((page) => page.models) ?? [];
  const ordered = first.length > 0 ? [...first, ...withoutModels(loaded, first)] : loaded;
  const models = exactFirst(keep ? ordered.filter(keep) : ordered, filter.search);
  const count = models.length + (query.hasNextPage ? 1 : 0);
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowPx,
    overscan: overscanRows,
  });
  const rows = virtual.getVirtualItems();
  const last = rows.at(-1)?.index ?? -1;
  const { hasNextPage, isFetchingNextPage, fetchNextPage, isFetchNextPageError } = query;
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && !isFetchNextPageError && last >= models.length - 20)
      void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage, last, models.length]);

  if (query.isPending) return <Loading />;
  if (query.isError && loaded.length === 0)
    return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  if (count === 0) return empty;
  return (
    <div
      ref={scroller}
      className={styles.scroller}
      data-busy={query.isPlaceholderData || undefined}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: rows are placed by their offset */}
      <div
        role="list"
        aria-label={t("models.list")}
        className={styles.rows}
        style={{ height: virtual.getTotalSize() }}
      >
        {rows.map(({ index, start, key }) => {
          const model = models[index];
          return (
            // biome-ignore lint/a11y/useSemanticElements: rows are placed by their offset
            <div
              key={key}
              role="listitem"
              className={styles.row}
              style={{ transform: `translateY(${start}px)`, height: rowPx }}
            >
              {model ? renderRow(model) : <LoadingRow />}
            </div>
          );
        })}
      </div>
    </div>
  );
}

function LoadingRow() {
  return (
    <div className={styles.loading} aria-busy>
      <Skeleton width="34%" />
      <Skeleton width="62%" height={11} />
    </div>
  );
}

const places = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"];
function Loading() {
  return (
    <div className={styles.scroller} role="status" aria-busy aria-label={t("ui.loading")}>
      {places.map((place) => (
        <div key={place} className={styles.still} style={{ height: rowPx }}>
          <LoadingRow />
        </div>
      ))}
    </div>
  );
}
