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
function keepsActiveElement(target: Node): boolean {
  const popup = popupOf(target);
  return (
    popup !== null &&
    (!popup.matches('[role="dialog"]') || popup.querySelector("[data-leaves-place]") !== null)
  );
}

/** The element of the page or dialog in which the person last focused or pressed something. */
export type ActiveElement = {
  at: () => Node | null;
  subscribe: (listener: () => void) => () => void;
};

export function createActiveElement(): ActiveElement & {
  move: (target: EventTarget | null) => void;
} {
  let at: Node | null = null;
  const listeners = new Set<() => void>();
  return {
    at: () => at,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    move(target) {
      if (!(target instanceof Node) || target === at || keepsActiveElement(target)) return;
      at = target;
      for (const listener of listeners) listener();
    },
  };
}

export const ActiveElementContext = createContext<ActiveElement>(createActiveElement());

/** Tracks the focus and presses. */
export function useActiveElementTracking(active: ReturnType<typeof createActiveElement>): void {
  useEffect(() => {
    const follow = ({ target }: Event) => active.move(target);
    document.addEventListener("focusin", follow);
    document.addEventListener("pointerdown", follow);
    return () => {
      document.removeEventListener("focusin", follow);
      document.removeEventListener("pointerdown", follow);
    };
  }, [active]);
}

/**
 * Whether an element's acts apply now: "row" while the person is in its row (marked by `data-row`);
 * "page" for an element outside of rows, which belongs to the open object; null for other rows.
 */
export function useActiveScope(of: RefObject<Element | null>): "row" | "page" | null {
  const active = useContext(ActiveElementContext);
  return useSyncExternalStore(active.subscribe, () => {
    if (!of.current) return null;
    const row = of.current.closest("[data-row]");
    if (!row) return "page";
    return row.contains(active.at()) ? "row" : null;
  });
}
