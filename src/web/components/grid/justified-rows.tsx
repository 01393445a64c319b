import { type ReactNode, useMemo, useRef } from "react";
import { layoutJustified } from "./justified-layout.ts";
import styles from "./justified-rows.module.css";
import { useContentWidth } from "./use-grid-window.ts";

export type JustifiedRowsProps = {
  /** The list's accessible name. */
  label: string;
  /** Each item's width divided by height; 1 if unknown. */
  ratios: readonly number[];
  /** Approximate row height in px. */
  targetHeight: number;
  keyAt: (index: number) => string;
  renderTile: (index: number, width: number) => ReactNode;
};

const gap = 6;

/** A few tiles in justified rows, all of them rendered. A gallery uses JustifiedGrid. */
export function JustifiedRows({
  label,
  ratios,
  targetHeight,
  keyAt,
  renderTile,
}: JustifiedRowsProps) {
  const place = useRef<HTMLUListElement>(null);
  const width = useContentWidth(place);
  const layout = useMemo(
    () =>
      layoutJustified({
        count: width > 0 ? ratios.length : 0,
        ratioAt: (index) => ratios[index] ?? 1,
        width,
        targetHeight,
        gap,
        headingHeight: 0,
      }),
    [ratios, width, targetHeight],
  );
  const tiles = Array.from({ length: layout.rowCount }, (_, row) => {
    const first = layout.rowFirst[row] ?? 0;
    return Array.from({ length: (layout.rowFirst[row + 1] ?? first) - first }, (_, of) => ({
      index: first + of,
      top: layout.rowTop[row] ?? 0,
      height: layout.rowHeight[row] ?? 0,
    }));
  }).flat();
  return (
    <ul
      ref={place}
      aria-label={label}
      className={styles.rows}
      style={{ height: width > 0 ? layout.height : targetHeight }}
    >
      {tiles.map(({ index, top, height }) => {
        const wide = layout.itemWidth[index] ?? 0;
        return (
          <li key={keyAt(index)} style={{ left: layout.left[index], top, width: wide, height }}>
            {renderTile(index, wide)}
          </li>
        );
      })}
    </ul>
  );
}
