import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, type Ref, type RefObject, useEffect } from "react";
import { type ListRow, rowKey } from "./conversation-groups.ts";
import styles from "./conversation-pane.module.css";

const headingPx = 36;
/** The line's height follows the density and the pointer; measured lines correct it. */
const rowPx = (): number => (matchMedia("(pointer: coarse)").matches ? 44 : 32);
/** So many lines before the last one the next page is asked for. */
const nearLines = 20;

export type VirtualLinesProps = {
  rows: readonly ListRow[];
  draw: (row: ListRow) => ReactNode;
  scroll: RefObject<HTMLElement | null>;
  /** Left out while nothing more is to be had. */
  onNearEnd?: () => void;
};

/** Of any number of lines those in sight. In a chunk of its own, for most people have few. */
export function VirtualLines({ rows, draw, scroll, onNearEnd }: VirtualLinesProps) {
  // The virtualizer is one object that changes inside: compiled, its lines would be remembered from the first look.
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
