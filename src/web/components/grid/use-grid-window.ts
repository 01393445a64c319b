import { type RefObject, useLayoutEffect, useState } from "react";
import { type JustifiedLayout, rowsBetween } from "./justified-layout.ts";

/** Rows drawn beyond the window on each side, in px: about what a wheel's notch or a frame of a fling moves. */
const overscanPx = 500;

/** The width that a scroller has for its content, in whole px; 0 before it is measured. */
export function useContentWidth(scroller: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const measure = () => {
      const { paddingLeft, paddingRight } = getComputedStyle(element);
      setWidth(Math.max(0, Math.floor(element.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight))));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [scroller]);
  return width;
}

/** The rows to draw now. Changes only when a row comes in or goes out, not with every px. */
export function useVisibleRows(scroller: RefObject<HTMLElement | null>, layout: JustifiedLayout): [first: number, last: number] {
  const [rows, setRows] = useState<[number, number]>([0, -1]);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const update = () => {
      const top = element.scrollTop;
      const [first, last] = rowsBetween(layout, top - overscanPx, top + element.clientHeight + overscanPx);
      setRows((before) => (before[0] === first && before[1] === last ? before : [first, last]));
    };
    update();
    element.addEventListener("scroll", update, { passive: true });
    const observer = new ResizeObserver(update);
    observer.observe(element);
    return () => {
      element.removeEventListener("scroll", update);
      observer.disconnect();
    };
  }, [scroller, layout]);
  return [rows[0], Math.min(rows[1], layout.rowCount - 1)];
}
