import { type DragEvent, type MouseEvent, type PointerEvent, useEffect, useRef } from "react";

const longPressMs = 450;
/** A finger that moves farther is scrolling. */
const stillPx = 10;
/** Browsers send a release's click up to this much later. */
const lateClickMs = 400;

/** Detects a long press by touch. The finger then does nothing else until it is lifted. */
export function useLongPress(onLongPress: () => void) {
  const start = useRef<{ timer: number; x: number; y: number } | null>(null);
  useEffect(() => () => window.clearTimeout(start.current?.timer), []);
  const end = () => {
    if (start.current) window.clearTimeout(start.current.timer);
    start.current = null;
  };
  const press = () => {
    end();
    stopFinger();
    onLongPress();
  };
  return {
    onPointerDown: ({ pointerType, clientX: x, clientY: y }: PointerEvent) => {
      end();
      if (pointerType === "mouse") return;
      start.current = { timer: window.setTimeout(press, longPressMs), x, y };
    },
    onPointerMove: ({ clientX, clientY }: PointerEvent) => {
      const { x, y } = start.current ?? { x: clientX, y: clientY };
      if (Math.hypot(clientX - x, clientY - y) > stillPx) end();
    },
    onPointerUp: end,
    onPointerCancel: end,
    // The browser's own long press opens a link's menu or drags the link. If it comes before the
    // timer, it counts as the press.
    onContextMenu: (event: MouseEvent) => {
      if (!start.current) return;
      event.preventDefault();
      press();
    },
    onDragStart: (event: DragEvent) => {
      if (start.current) event.preventDefault();
    },
  };
}

/**
 * Until the finger is lifted, it clicks, scrolls and drags nothing and opens no menu, wherever the
 * popup that the press opened has come to lie.
 */
function stopFinger(): void {
  const lifted = new AbortController();
  const options = { capture: true, passive: false, signal: lifted.signal };
  const stop = (event: Event) => {
    event.preventDefault();
    event.stopPropagation();
  };
  for (const kind of ["click", "contextmenu", "dragstart", "touchmove"])
    window.addEventListener(kind, stop, options);
  const lift = () => window.setTimeout(() => lifted.abort(), lateClickMs);
  for (const kind of ["pointerup", "pointercancel"]) window.addEventListener(kind, lift, options);
  window.addEventListener("pointerdown", () => lifted.abort(), options);
}
