import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, type Ref, type RefObject, useEffect } from "react";
import { type ListRow, rowKey } from "./conversation-groups.ts";
import styles from "./conversation-pane.module.css";

const headingPx = 36;
/** A line's height depends on the density and the pointer; measuring corrects it. */
const rowPx = (): number => (matchMedia("(pointer: coarse)").matches ? 44 : 32);
/** The next page is loaded this many rows before the end. */
const nearLines = 20;

export type VirtualLinesProps = {
  rows: readonly ListRow[];
  draw: (row: ListRow) => ReactNode;
  scroll: RefObject<HTMLElement | null>;
  /** Left out if there is no next page. */
  onNearEnd?: () => void;
};

/** Renders only the visible rows. In a separate chunk, because most people have few. */
export function VirtualLines({ rows, draw, scroll, onNearEnd }: VirtualLinesProps) {
  // The virtualizer mutates one object, so compiled code would memoize its first rows.
  "use no memo";
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroll.current,
    estimateSize: (place) => (rows[place]?.kind === "heading" ? headingPx : rowPx()),
    getItemKey: (place) => {
      const row = rows[place];
      return row ? rowKey(row) : place;
    },
    overscan: 12,
  });
  const lines = virtual.getVirtualItems();
  const isNearEnd = (lines.at(-1)?.index ?? 0) >= rows.length - nearLines;
  useEffect(() => {
    if (isNearEnd) onNearEnd?.();
  }, [isNearEnd, onNearEnd]);
  return (
    <div className={styles.lines} style={{ height: virtual.getTotalSize() }}>
      {lines.map(({ index, key, start }) => {
        const row = rows[index];
        return (
          row && (
            <Line key={key} index={index} startPx={start} ref={virtual.measureElement}>
              {draw(row)}
            </Line>
          )
        );
      })}
    </div>
  );
}

type LineProps = { index: number; startPx: number; ref: Ref<HTMLDivElement>; children: ReactNode };

function Line({ index, startPx, ref, children }: LineProps) {
  return (
    <div
      ref={ref}
      className={styles.line}
      data-index={index}
      style={{ transform: `translateY(${startPx}px)` }}
    >
      {children}
    </div>
  );
}
