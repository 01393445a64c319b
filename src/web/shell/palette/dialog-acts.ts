import { AppWindow } from "lucide-react";
import { useEffect, useState } from "react";
import type { EntryGroup } from "./entries.ts";

/** Buttons that do something by themselves: those of menus and lists only open them. */
const acting = "button:not([role], [aria-haspopup], :disabled)";

const nameOf = (button: HTMLElement): string =>
  (button.getAttribute("aria-label") ?? button.textContent).trim();

/** The dialog under the palette, if it is not one that is just going. */
function findDialog(): Element | null {
  const top = [
    ...document.querySelectorAll("[data-dialog]:not([data-closed]), [data-takes-shortcuts]"),
  ].findLast((one) => one.querySelector("[data-leaves-place]") === null);
  return top?.hasAttribute("data-dialog") ? top : null;
}

/**
 * Its buttons by the names on them, with the price where one shows it. Left out are those that refuse a press, and names that
 * several share, such as one for each row: the name alone would not say what is done.
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
        // What a button has come to say since, another price above all, nobody has read.
        if (nameOf(button) === name) button.click();
      };
      return isUnique(name) ? [{ id: `dialog.${name}`, title: name, icon: AppWindow, run }] : [];
    }),
  };
}

/** The acts of the dialog that the palette was opened over, as they are now; null where it was opened over a screen. */
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
