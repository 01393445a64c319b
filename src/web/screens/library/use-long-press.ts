import { type MouseEvent, type PointerEvent, useRef } from "react";

const longPressMs = 450;
/** A finger that moves farther scrolls. */
const stillPx = 10;

/** Tells a long press of a finger; the click that follows it is to be swallowed: `wasLong()` says so once. */
export function useLongPress(onLongPress: (target: Element) => void) {
  const state = useRef<{ timer: number; x: number; y: number } | null>(null);
  const isLong = useRef(false);
  const end = () => {
    if (state.current) window.clearTimeout(state.current.timer);
    state.current = null;
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
        const { target } = event;
        if (event.pointerType === "mouse" || !(target instanceof Element)) return;
        const timer = window.setTimeout(() => {
          isLong.current = true;
          state.current = null;
          onLongPress(target);
        }, longPressMs);
        state.current = { timer, x: event.clientX, y: event.clientY };
      },
      onPointerMove: (event: PointerEvent) => {
        const start = state.current;
        if (start && Math.hypot(event.clientX - start.x, event.clientY - start.y) > stillPx) end();
      },
      onPointerUp: end,
      onPointerCancel: end,
      // Else the system's menu of a link comes up over the selection.
      onContextMenu: (event: MouseEvent) => {
        if (state.current || isLong.current) event.preventDefault();
      },
    },
  };
}
