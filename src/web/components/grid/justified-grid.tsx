import {
  type KeyboardEvent,
  type MouseEvent,
  memo,
  type ReactNode,
  type Ref,
  useEffect,
  useImperativeHandle,
  useMemo,
  useRef,
  useState,
} from "react";
import { useKeysOf } from "../../frame/commands.tsx";
import { classes } from "../../ui/classes.ts";
import styles from "./grid.module.css";
import {
  type GridMove,
  groupsBetween,
  type JustifiedLayout,
  layoutJustified,
  moveInGrid,
  rowOfItem,
} from "./justified-layout.ts";
import { hasEveryKey, isSelected, type Selection, selectTo, toggleSelected } from "./selection.ts";
import { useContentWidth, useGridWindow } from "./use-grid-window.ts";

type TileBox = {
  index: number;
  /** In px. */
  width: number;
  height: number;
  isSelected: boolean;
  /** A selection is active: clicks select instead of opening. */
  isSelecting: boolean;
  /** The tile scrolls by too fast to need a picture. */
  isFlying: boolean;
  /** Spread onto the tile's focusable element: one tile of the grid is in the tab order. */
  focus: { tabIndex: 0 | -1; "data-grid-index": number };
  /** For the tile's checkbox. */
  onToggle: () => void;
};

export type JustifiedGridHandle = {
  /** Scrolls and moves the focus to the first item, because the items have changed. */
  startOver: () => void;
  scrollToIndex: (index: number) => void;
  /** Scrolls to an item that is out of view, and focuses it. */
  reveal: (index: number) => void;
};

export type JustifiedGridProps = {
  /** The gallery's accessible name. */
  label: string;
  count: number;
  /** Width divided by height; 1 if unknown. Stable between renders unless the layout changes. */
  ratioAt: (index: number) => number;
  /** Undefined while the item isn't loaded. */
  keyAt: (index: number) => string | undefined;
  /** Renders a tile; items that aren't loaded yet render as skeletons. */
  renderTile: (box: TileBox) => ReactNode;
  /**
   * The first item of each group, ascending from 0. Stable between renders unless the groups
   * change.
   */
  groups?: readonly number[];
  /** Renders a group's heading; called only near the view, because each item may be a group. */
  renderHeading?: (group: number) => ReactNode;
  selection: Selection;
  onSelectionChange: (selection: Selection) => void;
  /** Selects a range of which some items aren't loaded. Without it, those are left out. */
  onSelectUnloaded?: (from: number, to: number) => void;
  /** Called on a click or Enter. */
  onOpen: (index: number) => void;
  /** The rendered items, both ends included: load the missing ones. */
  onRangeChange?: (first: number, last: number) => void;
  /** Approximate row height in px. */
  targetHeight?: number;
  gap?: number;
  className?: string;
  ref?: Ref<JustifiedGridHandle>;
};

const headingHeight = 46;
const moves: Record<string, GridMove> = {
  ArrowLeft: "left",
  ArrowRight: "right",
  ArrowUp: "up",
  ArrowDown: "down",
  Home: "home",
  End: "end",
};

/**
 * A gallery of any length in justified rows, rendering only the visible ones. Arrow keys move,
 * Enter opens, Space selects, Shift extends, Control or Command adds, Escape clears the selection.
 */
export function JustifiedGrid(props: JustifiedGridProps) {
  const {
    label,
    count,
    ratioAt,
    groups,
    renderHeading,
    targetHeight = 160,
    gap = 6,
    selection,
    className,
    ref,
  } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const width = useContentWidth(scroller);
  const layout = useMemo(
    () =>
      layoutJustified({
        count: width > 0 ? count : 0,
        ratioAt,
        ...(groups && { groups }),
        width,
        targetHeight,
        gap,
        headingHeight,
      }),
    [count, ratioAt, groups, width, targetHeight, gap],
  );
  const { firstRow, lastRow, isFlying } = useGridWindow(scroller, layout);
  useKeysOf("grid");
  const [focused, setFocused] = useState(0);
  const moveFocus = useFocusMove(scroller, layout, setFocused);
  useReportRange(layout, firstRow, lastRow, props.onRangeChange);
  useImperativeHandle(
    ref,
    () => ({
      startOver: () => {
        setFocused(0);
        if (scroller.current) scroller.current.scrollTop = 0;
      },
      scrollToIndex: (index) => scrollTo(scroller.current, layout, index, "start"),
      reveal: moveFocus,
    }),
    [layout, moveFocus],
  );

  const selectRange = (from: number, to: number) => {
    const isLoaded = hasEveryKey(from, to, props.keyAt);
    if (!isLoaded && props.onSelectUnloaded) props.onSelectUnloaded(from, to);
    else props.onSelectionChange(selectTo({ ...selection, anchor: from }, to, props.keyAt));
  };
  const select = (index: number, extend: boolean) => {
    const key = props.keyAt(index);
    if (key === undefined) return;
    if (extend) selectRange(selection.anchor ?? index, index);
    else props.onSelectionChange(toggleSelected(selection, index, key));
  };
  const onClick = (event: MouseEvent) => {
    const index = indexOf(event.target);
    if (index === null) return;
    const isPlain = !event.shiftKey && !event.ctrlKey && !event.metaKey;
    setFocused(index);
    event.preventDefault();
    if (isPlain && selection.keys.size === 0) props.onOpen(index);
    else select(index, event.shiftKey);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const index = indexOf(event.target);
    if (index === null) return;
    const move = moves[event.key];
    if (move && !event.altKey) {
      const next = moveInGrid(layout, index, move);
      if (event.shiftKey) selectRange(selection.anchor ?? index, next);
      moveFocus(next);
    } else if (event.key === " ") select(index, event.shiftKey);
    else if (event.key === "Enter") props.onOpen(index);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  const focusedRow = count > 0 ? rowOfItem(layout, Math.min(focused, count - 1)) : -1;
  const rows = listRows(firstRow, lastRow, focusedRow, layout.rowCount);
  return (
    <div ref={scroller} className={classes(styles.scroller, className)}>
      <div className={styles.space} style={{ height: layout.height }}>
        {headingsNear(layout, firstRow, lastRow).map((group) => (
          <div
            key={groups?.[group]}
            className={styles.heading}
            style={{ transform: `translateY(${layout.groupTop[group]}px)` }}
          >
            {renderHeading?.(group)}
          </div>
        ))}
        {rows.length > 0 && (
          // biome-ignore lint/a11y/useSemanticElements: a table of a hundred thousand cells of which thirty exist is this role
          <div
            role="grid"
            aria-label={label}
            aria-multiselectable
            aria-rowcount={layout.rowCount}
            onClick={onClick}
            onKeyDown={onKeyDown}
          >
            {rows.map((row) => (
              <Row
                key={row}
                row={row}
                layout={layout}
                grid={props}
                focused={focused}
                isFlying={isFlying}
                onToggle={(index) => select(index, false)}
              />
            ))}
          </div>
        )}
      </div>
    </div>
  );
}

type RowProps = {
  row: number;
  layout: JustifiedLayout;
  grid: JustifiedGridProps;
  focused: number;
  isFlying: boolean;
  onToggle: (index: number) => void;
};

/** Rerendered only if the gallery's own props change, not when other rows enter or leave. */
const Row = memo(function Row({ row, layout, grid, focused, isFlying, onToggle }: RowProps) {
  const first = layout.rowFirst[row] ?? 0;
  const end = layout.rowFirst[row + 1] ?? first;
  const height = layout.rowHeight[row] ?? 0;
  const cells: ReactNode[] = [];
  for (let index = first; index < end; index += 1) {
    const width = layout.itemWidth[index] ?? 0;
    const isChosen = isSelected(grid.selection, grid.keyAt(index));
    cells.push(
      // biome-ignore lint/a11y/useSemanticElements: see the grid
      // biome-ignore lint/a11y/useFocusableInteractive: the tile inside takes the focus
      <div
        key={index}
        role="gridcell"
        aria-colindex={index - first + 1}
        aria-selected={isChosen}
        className={styles.cell}
        style={{ left: layout.left[index], width }}
      >
        {grid.renderTile({
          index,
          width,
          height,
          isSelected: isChosen,
          isSelecting: grid.selection.keys.size > 0,
          isFlying,
          focus: { tabIndex: index === focused ? 0 : -1, "data-grid-index": index },
          onToggle: () => onToggle(index),
        })}
      </div>,
    );
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: see the grid
    // biome-ignore lint/a11y/useFocusableInteractive: the tile inside takes the focus
    <div
      role="row"
      aria-rowindex={row + 1}
      className={styles.row}
      style={{ transform: `translateY(${layout.rowTop[row]}px)`, height }}
    >
      {cells}
    </div>
  );
});

/** The groups whose headings are rendered: those near the rows. */
function headingsNear(layout: JustifiedLayout, firstRow: number, lastRow: number): number[] {
  // Rows from before a change of the layout.
  if (lastRow < firstRow) return [];
  const end = (layout.rowTop[lastRow] ?? 0) + (layout.rowHeight[lastRow] ?? 0);
  return groupsBetween(layout, (layout.rowTop[firstRow] ?? 0) - headingHeight, end + headingHeight);
}

function listRows(first: number, last: number, focused: number, count: number): number[] {
  const rows: number[] = [];
  for (let row = first; row <= last; row += 1) rows.push(row);
  // The focused row stays rendered, because otherwise the focus would be lost.
  if (focused >= 0 && focused < count && (focused < first || focused > last)) rows.push(focused);
  return rows;
}

/** The tile that an event came from; null if it came from a button inside. */
function indexOf(target: EventTarget): number | null {
  if (!(target instanceof Element)) return null;
  const tile = target.closest<HTMLElement>("[data-grid-index]");
  return tile ? Number(tile.dataset.gridIndex) : null;
}

function scrollTo(
  element: HTMLElement | null,
  layout: JustifiedLayout,
  index: number,
  place: "start" | "nearest",
): void {
  if (!element) return;
  const row = rowOfItem(layout, index);
  const top = layout.rowTop[row] ?? 0;
  const bottom = top + (layout.rowHeight[row] ?? 0);
  if (place === "start") element.scrollTop = Math.max(0, top - headingHeight);
  else if (top < element.scrollTop + headingHeight)
    element.scrollTop = Math.max(0, top - headingHeight);
  else if (bottom + 24 > element.scrollTop + element.clientHeight)
    element.scrollTop = bottom + 24 - element.clientHeight;
}

/** Scrolls to an item and focuses it once it is rendered. */
function useFocusMove(
  scroller: React.RefObject<HTMLDivElement | null>,
  layout: JustifiedLayout,
  setFocused: (index: number) => void,
) {
  const wanted = useRef<number | null>(null);
  useEffect(() => {
    if (wanted.current === null) return;
    const tile = scroller.current?.querySelector<HTMLElement>(
      `[data-grid-index="${wanted.current}"]`,
    );
    if (!tile) return;
    wanted.current = null;
    tile.focus({ preventScroll: true });
  });
  return (index: number) => {
    wanted.current = index;
    setFocused(index);
    scrollTo(scroller.current, layout, index, "nearest");
  };
}

function useReportRange(
  layout: JustifiedLayout,
  firstRow: number,
  lastRow: number,
  report?: (first: number, last: number) => void,
): void {
  const first = layout.rowFirst[firstRow] ?? 0;
  const last = (layout.rowFirst[lastRow + 1] ?? 0) - 1;
  const latest = useRef(report);
  useEffect(() => {
    latest.current = report;
  });
  useEffect(() => {
    if (last >= first) latest.current?.(first, last);
  }, [first, last]);
}
