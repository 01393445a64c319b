import { type RefObject, useId, useRef } from "react";
import { t } from "../messages/t.ts";
import { Menu, type MenuProps } from "../ui/overlays/menu.tsx";
import type { MenuEntry } from "../ui/overlays/menu-popup.tsx";
import { useActiveScope } from "./active-element.ts";
import { type Command, useCommands } from "./commands.tsx";

const none: readonly Command[] = [];

/** Converts a menu's entries to commands. Submenu entries include their submenu's title. */
export function commandsOf(
  entries: readonly MenuEntry[],
  of: Pick<Command, "id" | "group" | "isOfRow">,
  branch?: string,
): Command[] {
  return entries.flatMap((entry, index) => {
    const id = `${of.id}.${index}`;
    if ("entries" in entry) return commandsOf(entry.entries, { ...of, id }, entry.label);
    if (!("label" in entry) || entry.disabled) return [];
    const { label, icon, shortcut, checked, onSelect } = entry;
    return [
      {
        ...of,
        id,
        title: branch ? t("ui.act.within", { menu: branch, act: label }) : label,
        icon,
        shortcut,
        hint: of.group,
        isFoundOnly: checked !== undefined || branch !== undefined,
        run: onSelect,
      },
    ];
  });
}

/**
 * A menu whose entries are also in the palette: a row's while the person is in the row, those of an
 * open object always.
 */
export function ActionMenu(props: MenuProps) {
  const at = useRef<HTMLElement>(null);
  const id = useId();
  const scope = useActiveScope(at);
  const of = { id: `menu:${id}`, group: props.label, isOfRow: scope === "row" };
  useCommands(scope ? commandsOf(props.entries, of) : none);
  return <Menu {...props} anchor={at} />;
}

/** An act of an object that isn't in a menu. */
export type RowAction = Pick<Command, "title" | "icon" | "shortcut" | "run"> & { id: string };

/**
 * Offers an object's acts: for a row, while the person is in it; for anything else, while it is
 * open. Acts that wait for the person, such as an approval, are offered on the whole screen. The
 * returned ref must be on an element of the object.
 */
export function useRowActions<Target extends Element>(
  name: string,
  acts: readonly RowAction[],
  isAwaited = false,
): RefObject<Target | null> {
  const at = useRef<Target>(null);
  const id = useId();
  const scope = useActiveScope(at) ?? (isAwaited ? "page" : null);
  useCommands(
    scope
      ? acts.map((act) => ({
          ...act,
          id: `row:${id}.${act.id}`,
          group: name,
          hint: name,
          isOfRow: scope === "row",
        }))
      : none,
  );
  return at;
}
