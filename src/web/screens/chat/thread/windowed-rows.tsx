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

/** About how high rows are before they are measured, in px. */
const answerPx = 320;
const questionPx = 90;
/** Rows drawn beyond the window on each side. */
const overscan = 6;

type Anchor = {
  /** Of the message; with `topPx`, of the row. */
  id: string;
  place: number;
  /** How far below the view's top the row begins. Without it the message is in the middle. */
  topPx?: number;
};

export type WindowedRowsProps = {
  rows: readonly ThreadRow[];
  draw: (row: ThreadRow, place: number) => ReactNode;
  /** Places of rows that are drawn although they are out of sight. */
  staying: readonly number[];
  /** What was gone to, or read before a reload: it stays where it is until the person scrolls. */
  anchor: Anchor | undefined;
  /** Called before the thread goes there. */
  onAnchor: () => void;
  /** Whether the thread follows its end: then nothing else moves it. */
  isStuck: () => boolean;
  /** Tells the rows that are drawn, after each change. */
  onDrawn: (places: readonly number[]) => void;
};

/** Draws the rows in sight, in their order, with room for the others. */
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
    // A thread begins at its end.
    initialOffset: () => rows.reduce((sum, row) => sum + estimatePx(row), 0),
    rangeExtractor: (range: Range) =>
      [...new Set([...defaultRangeExtractor(range), ...staying, ...placesInUse(list)])].sort(
        (a, b) => a - b,
      ),
    overscan,
  });
  const isHeld = useHold(list, anchor, onAnchor, isStuck);
  useKeysToEnds(list);
  // What is above may turn out higher than estimated: what one reads stays where it is.
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
 * Keeps what was gone to where it is while what is around it is read and measured: rows above it may leave the page
 * before their size is known. Ends when a wheel, finger, pointer or key moves the thread.
 */
function useHold(
  list: RefObject<HTMLElement | null>,
  anchor: Anchor | undefined,
  onAnchor: () => void,
  isStuck: () => boolean,
): RefObject<boolean> {
  const isHeld = useRef(false);
  /** Where the message was when it was last put there, in px from the first row. */
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
    // A person's scrolling moves nothing in the list.
    if (heldPx.current !== undefined && Math.abs(px - heldPx.current) < 1) return;
    heldPx.current = px;
    if (anchor.topPx !== undefined) {
      const topPx = message.getBoundingClientRect().top - scroller.getBoundingClientRect().top;
      scroller.scrollTop += topPx - anchor.topPx;
      return;
    }
    // Of one that is higher than the view, the beginning is shown.
    const isHigher = message.clientHeight > scroller.clientHeight;
    message.scrollIntoView({ block: isHigher ? "start" : "center" });
  });
  return isHeld;
}

/**
 * Home and End at once. The browser glides there, and stops where a row on the way is measured and what is read is kept in its
 * place: in a long thread always halfway.
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

/** Where a key goes in a page, on each system: Home and End, or on a Mac the arrows with Cmd. */
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

/** The rows that a person is in: with the focus, what is read aloud, and all that is selected, to be copied. */
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
