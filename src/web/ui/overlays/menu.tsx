import type { RefObject } from "react";
import { firstPart } from "../lazy-part.ts";
import { PopupPart } from "../part.tsx";
import type { MenuContent } from "./menu-popup.tsx";
import { type PopupTrigger, usePopupTrigger } from "./use-popup-trigger.tsx";

const load = () => import("./menu-popup.tsx");
const MenuPopup = firstPart(() => load().then(({ MenuPopup }) => MenuPopup));

export type MenuProps = MenuContent & {
  trigger: PopupTrigger;
  /** Receives the button. */
  anchor?: RefObject<HTMLElement | null>;
};

/** A button with a menu of actions. */
export function Menu({
  trigger,
  label,
  entries,
  side = "bottom",
  align = "end",
  isDark = false,
  anchor: given,
}: MenuProps) {
  const { anchor, open, setOpen, onOpenChange, leave, attach, isMounted } = usePopupTrigger(
    "menu",
    load,
    { anchor: given },
  );
  return (
    <>
      {attach(trigger)}
      {isMounted && (
        <PopupPart open={open} onClose={() => setOpen(false)}>
          <MenuPopup
            {...{ anchor, open, onOpenChange, leave, label, entries, side, align, isDark }}
          />
        </PopupPart>
      )}
    </>
  );
}
