import {
  cloneElement,
  type KeyboardEvent as KeyPress,
  type MouseEvent,
  type ReactElement,
  type RefObject,
  useRef,
  useState,
} from "react";
import { preload } from "../part.tsx";

type TriggerProps = {
  ref?: RefObject<HTMLElement | null>;
  onClick?: (event: MouseEvent) => void;
  onKeyDown?: (event: KeyPress) => void;
  onKeyUp?: (event: KeyPress) => void;
  onPointerEnter?: () => void;
  "aria-haspopup"?: "menu" | "dialog";
  "aria-expanded"?: boolean;
};
/** A Button, IconButton or Chip: anything that passes `ref` and `onClick` to a button. */
export type PopupTrigger = ReactElement<TriggerProps>;

const isEscape = (event: Event): boolean =>
  event instanceof KeyboardEvent && event.key === "Escape";

/**
 * Whether an event belongs to a dialog that leaves what is below it as it is: the palette, which
 * lists a popover's buttons.
 */
function leavesBelow({ target, relatedTarget }: Event & { relatedTarget?: EventTarget | null }) {
  return [target, relatedTarget].some(
    (at) =>
      at instanceof Element &&
      at.closest('[role="dialog"]')?.querySelector("[data-leaves-place]") != null,
  );
}

/** Called when a popup without its own trigger wants to open or close. */
export type OpenChange = (open: boolean, details: { event: Event; cancel: () => void }) => void;

/**
 * Connects a button to a popup whose code loads at the first hover or press. The button is
 * Bottega's own, so none of the popup's code is in the initial load.
 */
export function usePopupTrigger(
  kind: "menu" | "dialog",
  load: () => Promise<unknown>,
  controlled?: {
    open?: boolean;
    onOpenChange?: (open: boolean) => void;
    anchor?: RefObject<HTMLElement | null> | undefined;
    /** Receives the keys pressed and released on the button while the popup loads. */
    onKeyAhead?: (event: KeyPress) => void;
  },
) {
  const own = useRef<HTMLElement>(null);
  const anchor = controlled?.anchor ?? own;
  const [ownOpen, setOwnOpen] = useState(false);
  const [wasOpen, setWasOpen] = useState(false);
  const open = controlled?.open ?? ownOpen;
  const setOpen = (next: boolean) => {
    setOwnOpen(next);
    if (next) setWasOpen(true);
    controlled?.onOpenChange?.(next);
  };
  const onOpenChange: OpenChange = (next, details) => {
    // The button handles presses on itself; otherwise one press would close the popup and open it
    // again.
    if (
      !next &&
      details.event.target instanceof Node &&
      anchor.current?.contains(details.event.target)
    )
      return details.cancel();
    if (!next && kind === "dialog" && leavesBelow(details.event)) return details.cancel();
    if (!next && isEscape(details.event)) anchor.current?.focus();
    setOpen(next);
  };
  /** Closes the popup and returns the focus to the button, from which Tab moves on. */
  const leave = () => {
    anchor.current?.focus();
    setOpen(false);
  };
  const attach = (trigger: PopupTrigger) =>
    cloneElement(trigger, {
      ref: anchor,
      onClick: (event: MouseEvent) => {
        trigger.props.onClick?.(event);
        setOpen(!open);
      },
      onKeyDown: (event: KeyPress) => {
        trigger.props.onKeyDown?.(event);
        if (!open) return;
        if (event.key === "Tab") setOpen(false);
        else controlled?.onKeyAhead?.(event);
      },
      onKeyUp: (event: KeyPress) => {
        trigger.props.onKeyUp?.(event);
        if (open) controlled?.onKeyAhead?.(event);
      },
      onPointerEnter: () => preload(load),
      "aria-haspopup": kind,
      "aria-expanded": open,
    });
  return { anchor, open, setOpen, onOpenChange, leave, attach, isMounted: wasOpen || open };
}

/**
 * The focus target after a popup closes: its button, unless the person has focused something else.
 */
export function focusAfter(anchor: RefObject<HTMLElement | null>, popup: HTMLElement | null) {
  const { activeElement } = document;
  const isElsewhere =
    activeElement !== null && activeElement !== document.body && !popup?.contains(activeElement);
  return isElsewhere ? false : anchor.current;
}
