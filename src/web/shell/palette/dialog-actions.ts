import { AppWindow } from "lucide-react";
import { useEffect, useState } from "react";
import { groupBy } from "../../data/group-by.ts";
import type { EntryGroup } from "./entries.ts";

/** Buttons that act by themselves or open a popover; menus and lists have entries of their own. */
const acting = "button:not([role], [aria-haspopup]:not([aria-haspopup=dialog]), :disabled)";

const nameOf = (button: HTMLElement): string =>
  (button.getAttribute("aria-label") ?? button.textContent).trim();

const overlays =
  "[data-dialog]:not([data-closed]), [data-popover]:not([data-closed]), [data-takes-shortcuts]";

type FoundDialog = {
  element: Element;
  /** A dialog, or a popover over one, covers the screen's acts; another popover leaves them. */
  isModal: boolean;
};

/** The dialog or popover below the palette, unless it is closing. */
function findDialog(): FoundDialog | null {
  const below = [...document.querySelectorAll(overlays)].filter(
    (one) => one.querySelector("[data-leaves-place]") === null,
  );
  const element = below.at(-1);
  if (!element?.matches("[data-dialog], [data-popover]")) return null;
  const cover = below.findLast((one) => !one.matches("[data-popover]"));
  return { element, isModal: cover?.matches("[data-dialog]") ?? false };
}

/** The parts of a dialog that have a name. */
const parts = "[data-row],li,tr,fieldset,[role=group],section,article";

const wordsOf = (id: string | null): string =>
  (id && document.getElementById(id)?.textContent?.trim()) || "";

/** The first text of an element outside its buttons. */
function firstWords(part: Element): string {
  const walker = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const words = walker.currentNode.textContent?.trim();
    if (words && !walker.currentNode.parentElement?.closest("button")) return words;
  }
  return "";
}

/** The name of the row or section that a button is in; "" if it has none. */
function partOf(button: Element): string {
  const part = button.closest(parts);
  return part
    ? part.getAttribute("aria-label") ||
        wordsOf(part.getAttribute("aria-labelledby")) ||
        firstWords(part)
    : "";
}

/**
 * A dialog's or popover's buttons by their names, which include prices. They are read from the
 * page, because each of their buttons would otherwise have to be offered as an act as well, those of
 * shared parts in every dialog that uses them. None of them has a shortcut, so "?" lacks nothing.
 * Buttons with the same name are listed with their row or section. Disabled buttons are left out,
 * and so are buttons that nothing tells apart.
 */
function readActions({ element: dialog, isModal }: FoundDialog): DialogActions {
  const buttons = [...dialog.querySelectorAll<HTMLButtonElement>(acting)].filter(
    (button) => button.getClientRects().length > 0,
  );
  const byName = groupBy(buttons, nameOf);
  const acts = [...byName].flatMap(([title, sameName]) =>
    sameName.map((button) => {
      const hint = sameName.length > 1 ? partOf(button) : undefined;
      const run = () => {
        // If a button's text or row has changed since, above all its price, the person hasn't read it.
        const isSame = nameOf(button) === title && (hint === undefined || partOf(button) === hint);
        if (isSame) button.click();
      };
      return { id: `dialog.${title}.${hint ?? ""}`, title, icon: AppWindow, hint, run };
    }),
  );
  return {
    isModal,
    heading: wordsOf(dialog.getAttribute("aria-labelledby")),
    entries: acts.filter(
      ({ id, title, hint }, index) =>
        title !== "" && hint !== "" && !acts.some((other, at) => at !== index && other.id === id),
    ),
  };
}

type DialogActions = EntryGroup & Pick<FoundDialog, "isModal">;

/**
 * The current acts of the dialog or popover that the palette was opened over; null if it was opened
 * over a screen.
 */
export function useDialogActions(): DialogActions | null {
  const [dialog] = useState(findDialog);
  const [acts, setActs] = useState(() => dialog && readActions(dialog));
  useEffect(() => {
    if (!dialog) return undefined;
    const observer = new MutationObserver(() => setActs(readActions(dialog)));
    observer.observe(dialog.element, {
      subtree: true,
      childList: true,
      characterData: true,
      attributeFilter: ["disabled", "aria-label"],
    });
    return () => observer.disconnect();
  }, [dialog]);
  return acts;
}
