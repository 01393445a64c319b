import type { ReactNode } from "react";
import { firstPart } from "../lazy-part.ts";
import { PopupPart } from "../part.tsx";
import type { PopoverOptions } from "./popover-popup.tsx";
import { type PopupTrigger, usePopupTrigger } from "./use-popup-trigger.tsx";

const load = () => import("./popover-popup.tsx");
const PopoverPopup = firstPart(() => load().then(({ PopoverPopup }) => PopoverPopup));

export type PopoverProps = PopoverOptions & {
  trigger: PopupTrigger;
  /** A function gets `close`. */
  children: ReactNode | ((close: () => void) => ReactNode);
  open?: boolean;
  onOpenChange?: (open: boolean) => void;
};

/** A small panel on a button: settings, a list, a picker. */
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
  const { anchor, open, setOpen, onOpenChange, attach, isMounted } = usePopupTrigger(
    "dialog",
    load,
    controlled,
  );
  return (
    <>
      {attach(trigger)}
      {isMounted && (
        <PopupPart open={open} onClose={() => setOpen(false)}>
          <PopoverPopup
            {...{ anchor, open, onOpenChange, title, isTitleHidden, side, align, width }}
          >
            {typeof children === "function" ? children(() => setOpen(false)) : children}
          </PopoverPopup>
        </PopupPart>
      )}
    </>
  );
}
