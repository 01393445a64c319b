import { AppWindow } from "lucide-react";
import { useEffect, useState } from "react";
import type { EntryGroup } from "./entries.ts";

/** Buttons that act by themselves; those of menus and lists only open them. */
const acting = "button:not([role], [aria-haspopup], :disabled)";

const nameOf = (button: HTMLElement): string =>
  (button.getAttribute("aria-label") ?? button.textContent).trim();

/** The dialog below the palette, unless it is closing. */
function findDialog(): Element | null {
  const top = [
    ...document.querySelectorAll("[data-dialog]:not([data-closed]), [data-takes-shortcuts]"),
  ].findLast((one) => one.querySelector("[data-leaves-place]") === null);
  return top?.hasAttribute("data-dialog") ? top : null;
}

/**
 * The dialog's buttons by name, with a shown price. Disabled buttons are left out, as are names
 * shared by several buttons, such as one per row, because the name alone wouldn't identify the act.
 */
function readActs(dialog: Element): EntryGroup {
  const titleId = dialog.getAttribute("aria-labelledby");
  const title = (titleId && document.getElementById(titleId)?.textContent) || "";
  const buttons = [...dialog.querySelectorAll<HTMLButtonElement>(acting)].filter(
    (button) => button.getClientRects().length > 0,
  );
  const names = buttons.map(nameOf);
  const isUnique = (name: string) => name !== "" && names.indexOf(name) === names.lastIndexOf(name);
  return {
    heading: title,
    entries: buttons.flatMap((button) => {
      const name = nameOf(button);
      const run = () => {
        // If a button's text has changed since, above all its price, the person hasn't read it.
        if (nameOf(button) === name) button.click();
      };
      return isUnique(name) ? [{ id: `dialog.${name}`, title: name, icon: AppWindow, run }] : [];
    }),
  };
}

/**
 * The current acts of the dialog that the palette was opened over; null if it was opened over a
 * screen.
 */
export function useDialogActs(): EntryGroup | null {
  const [dialog] = useState(findDialog);
  const [acts, setActs] = useState(() => dialog && readActs(dialog));
  useEffect(() => {
    if (!dialog) return undefined;
    const observer = new MutationObserver(() => setActs(readActs(dialog)));
    observer.observe(dialog, {
      subtree: true,
      childList: true,
      characterData: true,
      attributeFilter: ["disabled", "aria-label"],
    });
    return () => observer.disconnect();
  }, [dialog]);
  return acts;
}
