import { useVirtualizer } from "@tanstack/react-virtual";
import { useCallback, useEffect, useRef } from "react";
import type { FeedBatch } from "../../../data/queries/create.queries.ts";
import { BatchRow, type Selection } from "./batch-row.tsx";
import styles from "./feed.module.css";
import type { FeedActions } from "./feed-actions.ts";
import { useFeedList } from "./use-feed-list.ts";

const rowPx = 260;

type FeedRowsProps = {
  batches: readonly FeedBatch[];
  /** Called with the index of the last visible batch. */
  onLast: (index: number) => void;
  actions: FeedActions;
  selection: Selection;
};

/** The visible batches, in a separate chunk that an empty feed doesn't load. */
export function FeedRows({ batches, onLast, actions, selection }: FeedRowsProps) {
  // The virtualizer mutates one object, so compiled code would memoize its first rows.
  "use no memo";
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: batches.length,
    getScrollElement: () => scroller.current,
    getItemKey: (index) => batches[index]?.id ?? index,
    estimateSize: () => rowPx,
    overscan: 3,
  });
  const scrollToBatch = useCallback(
    (index: number) => virtual.scrollToIndex(index, { align: "auto" }),
    [virtual],
  );
  useFeedList(batches, scrollToBatch);
  const rows = virtual.getVirtualItems();
  const last = rows.at(-1)?.index ?? -1;
  useEffect(() => onLast(last), [onLast, last]);
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
