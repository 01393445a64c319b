import { AppWindow } from "lucide-react";
import { useState } from "react";
import type { EntryGroup } from "./entries.ts";

/** Buttons that do something by themselves: those of menus and lists only open them. */
const acting = "button:not([role], [aria-haspopup], :disabled)";

const nameOf = (button: HTMLElement): string =>
  (button.getAttribute("aria-label") ?? button.textContent).trim();

/**
 * The dialog under the palette: its buttons by the names on them, with the price where one shows it. Left out are those that
 * refuse a press, and names that several share, such as one for each row: the name alone would not say what is done.
 */
function readDialog(): EntryGroup | null {
  const dialog = [...document.querySelectorAll("[data-dialog], [data-takes-shortcuts]")].findLast(
    (one) => one.querySelector("[data-leaves-place]") === null,
  );
  if (!dialog?.hasAttribute("data-dialog")) return null;
  const titleId = dialog.getAttribute("aria-labelledby");
  const title = (titleId && document.getElementById(titleId)?.textContent) || "";
  const buttons = [...dialog.querySelectorAll<HTMLButtonElement>(acting)].filter(
    (button) => button.getClientRects().length > 0,
  );
  const names = buttons.map(nameOf);
  const isUnique = (name: string) => name !== "" && names.indexOf(name) === names.lastIndexOf(name);
  return {
    heading: title,
    entries: buttons.flatMap((button, place) => {
      const name = nameOf(button);
      return isUnique(name)
        ? [{ id: `dialog.${place}`, title: name, icon: AppWindow, run: () => button.click() }]
        : [];
    }),
  };
}

/** The acts of the dialog that the palette was opened over; null where it was opened over a screen. */
export function useDialogActs(): EntryGroup | null {
  const [acts] = useState(readDialog);
  return acts;
}
