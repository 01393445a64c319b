import { type KeyboardEvent, type ReactNode, useEffect, useRef } from "react";
import { isLetter } from "../controls/select-props.ts";
import { firstPart } from "../lazy-part.ts";
import { PopupPart } from "../part.tsx";
import { AroundPopover, enterAhead } from "./around-popover.ts";
import type { PopoverOptions } from "./popover-popup.tsx";
import { type PopupTrigger, usePopupTrigger } from "./use-popup-trigger.tsx";

const load = () => import("./popover-popup.tsx");
const PopoverPopup = firstPart(() => load().then(({ PopoverPopup }) => PopoverPopup));

export type PopoverProps = PopoverOptions & {
  trigger: PopupTrigger;
  /** A function receives `close`. */
  children: ReactNode | ((close: () => void) => ReactNode);
  open?: boolean;
  onOpenChange?: (open: boolean) => void;
};

/** A button with a small panel: settings, a list, a picker. */
export function Popover({
  trigger,
  title,
  isTitleHidden = false,
  children,
  side = "bottom",
  align = "end",
  width = 320,
  ...controlled
}: PopoverProps) {
  const typed = useRef("");
  const onKeyAhead = (event: KeyboardEvent) => {
    const isEnter = event.key === "Enter" && typed.current !== "";
    if (!isEnter && !isLetter(event, typed.current)) return;
    // Firefox presses a button when the space bar is released.
    event.preventDefault();
    if (event.type === "keydown")
      typed.current = typed.current.replace(enterAhead, "") + (isEnter ? enterAhead : event.key);
  };
  const { anchor, open, setOpen, onOpenChange, leave, attach, isMounted } = usePopupTrigger(
    "dialog",
    load,
    { ...controlled, onKeyAhead },
  );
  useEffect(() => {
    if (!open) typed.current = "";
  }, [open]);
  return (
    <>
      {attach(trigger)}
      {isMounted && (
        <PopupPart open={open} onClose={() => setOpen(false)}>
          <PopoverPopup
            {...{ anchor, open, onOpenChange, leave, title, isTitleHidden, side, align, width }}
            onKeyAhead={onKeyAhead}
          >
            <AroundPopover value={{ isOpen: open, typed }}>
              {typeof children === "function" ? children(() => setOpen(false)) : children}
            </AroundPopover>
          </PopoverPopup>
        </PopupPart>
      )}
    </>
  );
}
