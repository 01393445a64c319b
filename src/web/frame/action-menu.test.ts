import { expect, it } from "vitest";
import type { MenuEntry } from "../ui/overlays/menu-popup.tsx";
import { commandsOf } from "./action-menu.tsx";

const of = { id: "menu", group: "Actions for Harbor", isOfRow: true };
const titles = (entries: readonly MenuEntry[]) => commandsOf(entries, of).map(({ title }) => title);
const onSelect = () => {};

it("offers each enabled entry of a menu, with its subject and its key", () => {
  const entries: MenuEntry[] = [
    { heading: "Marks" },
    { label: "Keep", shortcut: "p", onSelect },
    { separator: true },
    { label: "Rename", disabled: true, onSelect },
  ];
  expect(commandsOf(entries, of)).toMatchObject([
    { title: "Keep", shortcut: "p", group: "Actions for Harbor", hint: "Actions for Harbor" },
  ]);
});

it("names entries of a submenu by both labels, and gives no two the same ID", () => {
  const entries: MenuEntry[] = [
    { label: "Move to", entries: [{ label: "Letters", onSelect }] },
    { label: "Letters", onSelect },
  ];
  expect(titles(entries)).toEqual(["Move to: Letters", "Letters"]);
  expect(new Set(commandsOf(entries, of).map(({ id }) => id)).size).toBe(2);
});

it("leaves a filter's choices out of the palette", () => {
  const entries: MenuEntry[] = [
    { label: "Newest first", checked: true, onSelect },
    { label: "Download", onSelect },
  ];
  expect(commandsOf(entries, of).map(({ isFoundOnly }) => isFoundOnly)).toEqual([true, false]);
});
