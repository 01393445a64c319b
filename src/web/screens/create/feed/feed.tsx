import { useInfiniteQuery } from "@tanstack/react-query";
import { useVirtualizer } from "@tanstack/react-virtual";
import { WandSparkles } from "lucide-react";
import { type ReactNode, useEffect, useRef } from "react";
import { t } from "../../../messages/t.ts";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { ErrorState } from "../../../ui/error-state.tsx";
import { Skeleton } from "../../../ui/skeleton.tsx";
import { batchesQuery } from "../create.queries.ts";
import { BatchRow, type Selection } from "./batch-row.tsx";
import { isShown, type Shown } from "./batch-words.ts";
import styles from "./feed.module.css";
import type { FeedActions } from "./feed-actions.ts";

const rowPx = 260;
/** While a filter leaves less than this, further pages are read. */
const enoughBatches = 8;

type FeedProps = { projectId: string; shown: Shown; actions: FeedActions; selection: Selection; emptyAction?: ReactNode };

/** Everything that was made, newest first; only the batches in sight exist. */
export function Feed({ projectId, shown, actions, selection, emptyAction }: FeedProps) {
  // The virtualizer is one object that changes inside: compiled, the rows would be remembered from its first look.
  "use no memo";
  const query = useInfiniteQuery(batchesQuery(projectId));
  const scroller = useRef<HTMLDivElement>(null);
  const all = query.data?.pages.flatMap((page) => page.batches) ?? [];
  const batches = all.filter((batch) => isShown(batch, shown));
  const virtual = useVirtualizer({
    count: batches.length,
    getScrollElement: () => scroller.current,
    getItemKey: (index) => batches[index]?.id ?? index,
    estimateSize: () => rowPx,
    overscan: 3,
  });
  const rows = virtual.getVirtualItems();
  const last = rows.at(-1)?.index ?? -1;
  const { hasNextPage, isFetching, fetchNextPage, isFetchNextPageError } = query;
  useEffect(() => {
    const isShort = batches.length < enoughBatches || last >= batches.length - 4;
    if (hasNextPage && !isFetching && !isFetchNextPageError && isShort) void fetchNextPage();
  }, [hasNextPage, isFetching, isFetchNextPageError, fetchNextPage, last, batches.length]);

  if (query.isPending) return <Loading />;
  if (query.isError && all.length === 0)
    return <ErrorState error={query.error} safe={t("create.feed.safe")} onRetry={() => void query.refetch()} />;
  if (batches.length === 0 && !hasNextPage) {
    return (
      <EmptyState
        icon={WandSparkles}
        title={t(all.length === 0 ? "create.empty.title" : "create.none.title")}
        action={all.length === 0 ? emptyAction : undefined}
      >
        {t(all.length === 0 ? "create.empty.text" : "create.none.text")}
      </EmptyState>
    );
  }
  return (
    <div ref={scroller} className={styles.scroller}>
      <div className={styles.rows} style={{ height: virtual.getTotalSize() }}>
        {rows.map(({ index, start, key }) => {
          const batch = batches[index];
          return (
            batch && (
              <div
                key={key}
                ref={virtual.measureElement}
                data-index={index}
                className={styles.row}
                style={{ transform: `translateY(${start}px)` }}
              >
                <BatchRow batch={batch} actions={actions} selection={selection} />
              </div>
            )
          );
        })}
      </div>
    </div>
  );
}

function Loading() {
  return (
    <div className={styles.scroller} role="status" aria-busy aria-label={t("ui.loading")}>
      {["a", "b", "c"].map((row) => (
        <div key={row} className={styles.batch}>
          <div className={styles.head}>
            <Skeleton width="38%" height={22} />
          </div>
          <div className={styles.tiles}>
            {["1", "2", "3", "4"].map((tile) => (
              <Skeleton key={tile} height={176} radius={5} />
            ))}
          </div>
        </div>
      ))}
    </div>
  );
}
