import { createContext, type RefObject, useContext, useEffect, useSyncExternalStore } from "react";
import { focusGuard } from "../ui/overlays/focus-guard.ts";

const popups = '[role="dialog"],[role="menu"],[role="listbox"]';

/** What opens over a page, also from where Tab stops at its end. One that fills the page, with commands of its own, takes shortcuts like a screen. */
export function popupOf(target: EventTarget | null): Element | null {
  if (!(target instanceof Element)) return null;
  const popup = target.matches(`[${focusGuard}]`)
    ? target.parentElement?.querySelector(popups)
    : target.closest(popups);
  return !popup || popup.hasAttribute("data-takes-shortcuts") ? null : popup;
}

/** A popup that is about what is below it: a menu, a list of choices, or the palette, which marks itself. Other dialogs have rows of their own. */
function leavesPlace(target: Node): boolean {
  const popup = popupOf(target);
  return (
    popup !== null &&
    (!popup.matches('[role="dialog"]') || popup.querySelector("[data-leaves-place]") !== null)
  );
}

/** Where on the page or in a dialog the person was last, with the focus or a press. */
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

/** Follows the focus and presses. */
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
 * Whether what an element does can be meant now: "row" while the person is in its row, which is marked by `data-row`; "page" for
 * one in no row, which is about what is open; null for every other row.
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
