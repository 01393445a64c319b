import { Popover } from "@base-ui/react/popover";
import { type FocusEvent, type KeyboardEvent, type ReactNode, type RefObject, useRef } from "react";
import { classes } from "../classes.ts";
import { VisuallyHidden } from "../visually-hidden.tsx";
import { focusGuard } from "./focus-guard.ts";
import styles from "./popups.module.css";
import { focusAfter, type OpenChange } from "./use-popup-trigger.tsx";

/** A popover's name and position. */
export type PopoverOptions = {
  /** The popup's name; shown as its heading unless `isTitleHidden`. */
  title: string;
  isTitleHidden?: boolean;
  side?: "top" | "bottom" | "left" | "right";
  align?: "start" | "center" | "end";
  /** In px. */
  width?: number;
};

type PopoverPopupProps = Required<PopoverOptions> & {
  anchor: RefObject<HTMLElement | null>;
  open: boolean;
  onOpenChange: OpenChange;
  leave: () => void;
  onKeyAhead: (event: KeyboardEvent) => void;
  children: ReactNode;
};

/** Popover's popup, in a separate chunk. */
export function PopoverPopup({
  anchor,
  open,
  onOpenChange,
  leave,
  onKeyAhead,
  title,
  isTitleHidden,
  side,
  align,
  width,
  children,
}: PopoverPopupProps) {
  const heading = isTitleHidden ? <VisuallyHidden>{title}</VisuallyHidden> : title;
  const popup = useRef<HTMLDivElement>(null);
  const onFocus = ({ target, currentTarget }: FocusEvent<HTMLElement>) => {
    // Ignores the guards of a popup inside this one.
    if (!target.hasAttribute(focusGuard) || target.parentElement !== currentTarget) return;
    const isPastEnd = popup.current === target.previousElementSibling;
    // Base UI's guard next to the button moves on from it and closes, which works only with Base
    // UI's own trigger.
    const beside = anchor.current?.parentElement?.querySelectorAll<HTMLElement>(
      `:scope > [${focusGuard}]`,
    );
    const way = isPastEnd ? [...(beside ?? [])].at(-1) : undefined;
    way?.focus();
    // The button is the last focusable element.
    if (!way || document.activeElement?.hasAttribute(focusGuard)) leave();
  };
  return (
    <Popover.Root open={open} onOpenChange={onOpenChange}>
      <Popover.Portal>
        <Popover.Positioner
          anchor={anchor}
          side={side}
          align={align}
          sideOffset={6}
          className={styles.positioner}
          onFocus={onFocus}
        >
          <Popover.Popup
            ref={popup}
            data-popover
            className={classes(styles.popup, styles.card)}
            style={{ width }}
            finalFocus={() => focusAfter(anchor, popup.current)}
            onKeyDown={(event) => {
              if (event.target === event.currentTarget) onKeyAhead(event);
            }}
          >
            <Popover.Title className={isTitleHidden ? undefined : styles.cardTitle}>
              {heading}
            </Popover.Title>
            {children}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}
