import { lazyPart } from "../lazy-part.ts";
import { PopupPart } from "../part.tsx";
import type { MenuContent } from "./menu-popup.tsx";
import { type PopupTrigger, usePopupTrigger } from "./use-popup-trigger.tsx";

const load = () => import("./menu-popup.tsx");
const MenuPopup = lazyPart(() => load().then(({ MenuPopup }) => MenuPopup));

export type MenuProps = MenuContent & {
  trigger: PopupTrigger;
};

/** A menu of actions on a button. */
export function Menu({
  trigger,
  label,
  entries,
  side = "bottom",
  align = "end",
  isDark = false,
}: MenuProps) {
  const { anchor, open, setOpen, onOpenChange, attach, isMounted } = usePopupTrigger("menu", load);
  return (
    <>
      {attach(trigger)}
      {isMounted && (
        <PopupPart open={open} onClose={() => setOpen(false)}>
          <MenuPopup {...{ anchor, open, onOpenChange, label, entries, side, align, isDark }} />
        </PopupPart>
      )}
    </>
  );
}
