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
      // A browser's own long press opens a link's menu over the selection; where it comes before our time is up, it is the press.
      onContextMenu: (event: MouseEvent) => {
        if (!state.current && !isLong.current) return;
        event.preventDefault();
        if (!isLong.current) press(event.target);
      },
    },
  };
}
