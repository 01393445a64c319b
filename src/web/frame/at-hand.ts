import { createContext, type RefObject, useContext, useEffect, useSyncExternalStore } from "react";
import { focusGuard } from "../ui/overlays/focus-guard.ts";

const popups = '[role="dialog"],[role="menu"],[role="listbox"]';

/**
 * The popup that contains an element, including the focus guards around it. A popup that fills the
 * page and has its own commands takes shortcuts like a screen.
 */
export function popupOf(target: EventTarget | null): Element | null {
  if (!(target instanceof Element)) return null;
  const popup = target.matches(`[${focusGuard}]`)
    ? target.parentElement?.querySelector(popups)
    : target.closest(popups);
  return !popup || popup.hasAttribute("data-takes-shortcuts") ? null : popup;
}

/**
 * Whether a popup belongs to the content below it: a menu, a list of choices, or the palette, which
 * is marked. Other dialogs have rows of their own.
 */
function leavesPlace(target: Node): boolean {
  const popup = popupOf(target);
  return (
    popup !== null &&
    (!popup.matches('[role="dialog"]') || popup.querySelector("[data-leaves-place]") !== null)
  );
}

/** The element of the page or dialog in which the person last focused or pressed something. */
export type Place = { at: () => Node | null; subscribe: (listener: () => void) => () => void };

export function createPlace(): Place & { move: (target: EventTarget | null) => void } {
  let at: Node | null = null;
  const listeners = new Set<() => void>();
  return {
    at: () => at,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    move(target) {
      if (!(target instanceof Node) || target === at || leavesPlace(target)) return;
      at = target;
      for (const listener of listeners) listener();
    },
  };
}

export const PlaceContext = createContext<Place>(createPlace());

/** Tracks the focus and presses. */
export function usePlaceFollowing(place: ReturnType<typeof createPlace>): void {
  useEffect(() => {
    const follow = ({ target }: Event) => place.move(target);
    document.addEventListener("focusin", follow);
    document.addEventListener("pointerdown", follow);
    return () => {
      document.removeEventListener("focusin", follow);
      document.removeEventListener("pointerdown", follow);
    };
  }, [place]);
}

/**
 * Whether an element's acts apply now: "row" while the person is in its row (marked by `data-row`);
 * "page" for an element outside of rows, which belongs to the open object; null for other rows.
 */
export function useAtHand(of: RefObject<Element | null>): "row" | "page" | null {
  const place = useContext(PlaceContext);
  return useSyncExternalStore(place.subscribe, () => {
    if (!of.current) return null;
    const row = of.current.closest("[data-row]");
    if (!row) return "page";
    return row.contains(place.at()) ? "row" : null;
  });
}
