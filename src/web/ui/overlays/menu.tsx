import type { LucideIcon } from "lucide-react";
import { lazy, type ReactNode } from "react";
import { PopupPart } from "../part.tsx";
import { type PopupTrigger, usePopupTrigger } from "./use-popup-trigger.tsx";

const load = () => import("./menu-popup.tsx");
const MenuPopup = lazy(() => load().then(({ MenuPopup }) => ({ default: MenuPopup })));

export type MenuAction = {
  label: string;
  /** A second line. */
  detail?: ReactNode;
  icon?: LucideIcon;
  shortcut?: string;
  /** Given, the entry is one of several: with a tick when true. */
  checked?: boolean;
  danger?: boolean;
  disabled?: boolean;
  onSelect: () => void;
};
export type MenuEntry = MenuAction | { separator: true } | { heading: string };

export type MenuProps = {
  trigger: PopupTrigger;
  /** The menu's name, for the ear. */
  label: string;
  entries: readonly MenuEntry[];
  side?: "top" | "bottom" | "left" | "right";
  align?: "start" | "center" | "end";
};

/** A menu of actions on a button. */
export function Menu({ trigger, label, entries, side = "bottom", align = "end" }: MenuProps) {
  const { anchor, open, setOpen, onOpenChange, attach, isMounted } = usePopupTrigger("menu", load);
  return (
    <>
      {attach(trigger)}
      {isMounted && (
        <PopupPart open={open} onClose={() => setOpen(false)}>
          <MenuPopup {...{ anchor, open, onOpenChange, label, entries, side, align }} />
        </PopupPart>
      )}
    </>
  );
}
