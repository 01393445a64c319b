import { type MouseEvent, type PointerEvent, useRef } from "react";

const longPressMs = 450;
/** A finger that moves farther is scrolling. */
const stillPx = 10;

/**
 * Detects a long press by touch. The click that follows must be ignored: `wasLong()` returns true
 * once.
 */
export function useLongPress(onLongPress: (target: Element) => void) {
  const state = useRef<{ timer: number; x: number; y: number } | null>(null);
  const isLong = useRef(false);
  const end = () => {
    if (state.current) window.clearTimeout(state.current.timer);
    state.current = null;
  };
  const press = (target: EventTarget) => {
    end();
    isLong.current = true;
    if (target instanceof Element) onLongPress(target);
  };
  return {
    wasLong: () => {
      const was = isLong.current;
      isLong.current = false;
      return was;
    },
    handlers: {
      onPointerDown: (event: PointerEvent) => {
        isLong.current = false;
        end();
        if (event.pointerType === "mouse") return;
        const { target } = event;
        state.current = {
          timer: window.setTimeout(() => press(target), longPressMs),
          x: event.clientX,
          y: event.clientY,
        };
      },
      onPointerMove: (event: PointerEvent) => {
        const start = state.current;
        if (start && Math.hypot(event.clientX - start.x, event.clientY - start.y) > stillPx) end();
      },
      onPointerUp: end,
      onPointerCancel: end,
      // The browser's own long press would open a link menu. If it fires before the timer, it
      // counts as the press.
      onContextMenu: (event: MouseEvent) => {
        if (!state.current && !isLong.current) return;
        event.preventDefault();
        if (!isLong.current) press(event.target);
      },
    },
  };
}
