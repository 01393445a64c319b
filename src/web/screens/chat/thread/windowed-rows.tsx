import { defaultRangeExtractor, type Range, useVirtualizer } from "@tanstack/react-virtual";
import {
  Fragment,
  type ReactNode,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useRef,
} from "react";
import styles from "./thread.module.css";
import type { ThreadRow } from "./thread-rows.ts";

/** Estimated row heights before measuring, in px. */
const answerPx = 320;
const questionPx = 90;
/** Rows rendered beyond the window on each side. */
const overscan = 6;

type Anchor = {
  /** The message's id; with `topPx`, the row's key. */
  id: string;
  place: number;
  /** The row's distance from the view's top. Without it the message is centered. */
  topPx?: number;
};

export type WindowedRowsProps = {
  rows: readonly ThreadRow[];
  draw: (row: ThreadRow, place: number) => ReactNode;
  /** Indexes of rows that stay rendered while they are out of view. */
  staying: readonly number[];
  /**
   * The target of a navigation, or of a restored position. It stays in place until the person
   * scrolls.
   */
  anchor: Anchor | undefined;
  /** Called before the thread scrolls to the anchor. */
  onAnchor: () => void;
  /** Whether the thread follows its end, in which case nothing else moves it. */
  isStuck: () => boolean;
  /** Called with the rendered rows, after each change. */
  onDrawn: (places: readonly number[]) => void;
};

/** Renders the visible rows in order, with spacing for the others. */
export function WindowedRows({
  rows,
  draw,
  staying,
  anchor,
  onAnchor,
  isStuck,
  onDrawn,
}: WindowedRowsProps) {
  // The virtualizer mutates one object, so compiled code would memoize its first rows.
  "use no memo";
  const list = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => list.current?.closest("section") ?? null,
    estimateSize: (place) => estimatePx(rows[place]),
    getItemKey: (place) => rows[place]?.key ?? place,
    // A thread opens at its end.
    initialOffset: () => rows.reduce((sum, row) => sum + estimatePx(row), 0),
    rangeExtractor: (range: Range) =>
      [...new Set([...defaultRangeExtractor(range), ...staying, ...placesInUse(list)])].sort(
        (a, b) => a - b,
      ),
    overscan,
  });
  const isHeld = useHold(list, anchor, onAnchor, isStuck);
  useKeysToEnds(list);
  // Rows above may turn out higher than estimated; the text being read stays in place.
  virtual.shouldAdjustScrollPositionOnItemSizeChange = (
    item,
    _,
    { scrollOffset, itemSizeCache },
  ) => {
    if (isStuck() || isHeld.current) return false;
    return (itemSizeCache.has(item.key) ? item.end : item.start) <= (scrollOffset ?? 0);
  };
  const items = virtual.getVirtualItems().filter(({ index }) => index < rows.length);
  const drawn = items.map(({ index }) => index);
  useEffect(() => onDrawn(drawn), [onDrawn, drawn.join()]);
  let endPx = 0;
  return (
    <div ref={list}>
      {items.map(({ index, key, start, end }) => {
        const row = rows[index];
        const gapPx = start - endPx;
        endPx = end;
        return (
          <Fragment key={key}>
            {gapPx > 0 && <div style={{ height: gapPx }} />}
            <div ref={virtual.measureElement} data-index={index} className={styles.row}>
              {row && draw(row, index)}
            </div>
          </Fragment>
        );
      })}
      <div style={{ height: Math.max(0, virtual.getTotalSize() - endPx) }} />
    </div>
  );
}

/**
 * Keeps the anchor in place while rows around it load and are measured; rows above it may be
 * removed before their size is known. Ends when the person scrolls by wheel, touch, pointer or key.
 */
function useHold(
  list: RefObject<HTMLElement | null>,
  anchor: Anchor | undefined,
  onAnchor: () => void,
  isStuck: () => boolean,
): RefObject<boolean> {
  const isHeld = useRef(false);
  /** The message's offset from the first row, in px, when it was last positioned. */
  const heldPx = useRef<number | undefined>(undefined);
  const isAnchored = anchor !== undefined;
  useLayoutEffect(() => {
    isHeld.current = isAnchored;
    heldPx.current = undefined;
    if (isAnchored) onAnchor();
    const scroller = list.current?.closest("section");
    const letGo = () => {
      isHeld.current = false;
    };
    const moves = ["wheel", "touchmove", "pointerdown", "keydown"];
    for (const move of moves) scroller?.addEventListener(move, letGo, { passive: true });
    return () => {
      for (const move of moves) scroller?.removeEventListener(move, letGo);
    };
  }, [list, isAnchored, anchor?.id]);
  useLayoutEffect(() => {
    if (!anchor || !isHeld.current || isStuck()) return;
    const row = list.current?.querySelector(`[data-index="${anchor.place}"]`);
    const message =
      (anchor.topPx === undefined &&
        row?.querySelector(`[data-message="${CSS.escape(anchor.id)}"]`)) ||
      row;
    const scroller = list.current?.closest("section");
    if (!message || !list.current || !scroller) return;
    const px = message.getBoundingClientRect().top - list.current.getBoundingClientRect().top;
    // A person's scrolling doesn't move rows within the list.
    if (heldPx.current !== undefined && Math.abs(px - heldPx.current) < 1) return;
    heldPx.current = px;
    if (anchor.topPx !== undefined) {
      const topPx = message.getBoundingClientRect().top - scroller.getBoundingClientRect().top;
      scroller.scrollTop += topPx - anchor.topPx;
      return;
    }
    // A message higher than the view is shown from its start.
    const isHigher = message.clientHeight > scroller.clientHeight;
    message.scrollIntoView({ block: isHigher ? "start" : "center" });
  });
  return isHeld;
}

/**
 * Scrolls to Home and End without animation. The browser's smooth scrolling stops when a row on the
 * way is measured and the position is corrected, which in a long thread is always halfway.
 */
function useKeysToEnds(list: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const scroller = list.current?.closest("section");
    if (!scroller) return;
    const onKeyDown = (event: KeyboardEvent) => {
      const end = endOfKey(event);
      if (!end || event.defaultPrevented || isTypedIn(event.target)) return;
      event.preventDefault();
      scroller.scrollTop = end === "first" ? 0 : scroller.scrollHeight;
    };
    scroller.addEventListener("keydown", onKeyDown);
    return () => scroller.removeEventListener("keydown", onKeyDown);
  }, [list]);
}

/**
 * The end of the page that a key goes to, on each system: Home and End, or Cmd with the arrows on a
 * Mac.
 */
function endOfKey(event: KeyboardEvent): "first" | "last" | undefined {
  if (event.shiftKey || event.altKey) return undefined;
  if (event.key === "Home" || (event.metaKey && event.key === "ArrowUp")) return "first";
  if (event.key === "End" || (event.metaKey && event.key === "ArrowDown")) return "last";
  return undefined;
}

const isTypedIn = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches("input, textarea, select"));

const estimatePx = (row: ThreadRow | undefined): number =>
  row?.kind === "answers" || (row?.kind === "entry" && row.entry[0].role !== "user")
    ? answerPx
    : questionPx;

/**
 * The rows in use, which must stay rendered: with the focus, read aloud, or selected for copying.
 */
function placesInUse(list: RefObject<HTMLElement | null>): number[] {
  const element = list.current;
  if (!element) return [];
  const placeOf = (node: Node | null): number[] => {
    const row = (node instanceof Element ? node : node?.parentElement)?.closest("[data-index]");
    return row instanceof HTMLElement && element.contains(row) ? [Number(row.dataset.index)] : [];
  };
  const selection = document.getSelection();
  const ends = selection?.isCollapsed
    ? []
    : [selection?.anchorNode ?? null, selection?.focusNode ?? null].flatMap(placeOf);
  const from = Math.min(...ends);
  const selected =
    ends.length === 2
      ? Array.from({ length: Math.max(...ends) - from + 1 }, (_, place) => from + place)
      : ends;
  const reading = [...element.querySelectorAll("[data-stays]")].flatMap(placeOf);
  return [...placeOf(document.activeElement), ...reading, ...selected];
}
