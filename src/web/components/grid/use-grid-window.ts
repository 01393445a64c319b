import { type RefObject, useLayoutEffect, useState } from "react";
import { type JustifiedLayout, rowsBetween } from "./justified-layout.ts";

/**
 * Rows rendered beyond the window on each side, in px: about one wheel notch or one frame of a
 * fling.
 */
const overscanPx = 500;

/** A scroller's content width in whole px; 0 before it is measured. */
export function useContentWidth(scroller: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const measure = () => {
      const { paddingLeft, paddingRight } = getComputedStyle(element);
      setWidth(
        Math.max(
          0,
          Math.floor(
            element.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight),
          ),
        ),
      );
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [scroller]);
  return width;
}

/** In px per ms: at 3,000 px a second, nobody can see a picture. */
const flyingFrom = 3;
/** The pause after which scrolling counts as stopped. */
const restMs = 120;

export type GridWindow = { firstRow: number; lastRow: number; isFlying: boolean };

/**
 * The rows to render, and whether they scroll by fast. Changes when a row enters or leaves, not
 * with every px.
 */
export function useGridWindow(
  scroller: RefObject<HTMLElement | null>,
  layout: JustifiedLayout,
): GridWindow {
  const [view, setView] = useState<GridWindow>({ firstRow: 0, lastRow: -1, isFlying: false });
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    let before = { top: element.scrollTop, at: performance.now() };
    let rest: ReturnType<typeof setTimeout> | undefined;
    const update = (isFlying: boolean) => {
      const top = element.scrollTop;
      const [firstRow, lastRow] = rowsBetween(
        layout,
        top - overscanPx,
        top + element.clientHeight + overscanPx,
      );
      setView((now) =>
        now.firstRow === firstRow && now.lastRow === lastRow && now.isFlying === isFlying
          ? now
          : { firstRow, lastRow, isFlying },
      );
    };
    const onScroll = () => {
      const now = { top: element.scrollTop, at: performance.now() };
      const speed = Math.abs(now.top - before.top) / Math.max(1, now.at - before.at);
      before = now;
      clearTimeout(rest);
      rest = setTimeout(() => update(false), restMs);
      update(speed > flyingFrom);
    };
    const onResize = () => update(false);
    onResize();
    element.addEventListener("scroll", onScroll, { passive: true });
    const observer = new ResizeObserver(onResize);
    observer.observe(element);
    return () => {
      clearTimeout(rest);
      element.removeEventListener("scroll", onScroll);
      observer.disconnect();
    };
  }, [scroller, layout]);
  return { ...view, lastRow: Math.min(view.lastRow, layout.rowCount - 1) };
}
