import { expect, it } from "vitest";
import type { Command } from "../../frame/commands.tsx";
import { isPress, type KeyPress, nameKeys } from "../../ui/keys.ts";
import { findCommand } from "./shortcuts.ts";

const press = (key: string, keys: Partial<KeyPress> = {}): KeyPress => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  ...keys,
});
const command = (shortcut: string): Command => ({
  id: shortcut,
  title: shortcut,
  group: "",
  shortcut,
  run: () => {},
});
const commands = ["mod+k", "?", "h", "g h", "shift+n", "n"].map(command);
const find = (now: KeyPress, before: KeyPress | null = null, isTyping = false) =>
  findCommand(commands, now, before, isTyping)?.id;

it("finds a chord by the platform's command key", () => {
  expect(isPress(press("k", { ctrlKey: true }), "mod+k", false)).toBe(true);
  expect(isPress(press("k", { metaKey: true }), "mod+k", true)).toBe(true);
  expect(isPress(press("k", { metaKey: true }), "mod+k", false)).toBe(false);
});

it("prefers two keys in a row to the second alone", () => {
  expect(find(press("h"))).toBe("h");
  expect(find(press("h"), press("g"))).toBe("g h");
});

it("takes a sign wherever the keyboard has it", () => {
  expect(find(press("?", { shiftKey: true }))).toBe("?");
  expect(find(press("?"))).toBe("?");
});

it("tells a letter with Shift from the letter", () => {
  expect(find(press("N", { shiftKey: true }))).toBe("shift+n");
  expect(find(press("n"))).toBe("n");
});

it("leaves plain keys to who is typing", () => {
  expect(find(press("n"), null, true)).toBeUndefined();
  expect(find(press("k", { ctrlKey: true }), null, true)).toBe("mod+k");
});

it("writes keys as the platform does", () => {
  expect(nameKeys("mod+shift+k", true)).toEqual(["⌘⇧K"]);
  expect(nameKeys("mod+shift+k", false)).toEqual(["Ctrl+Shift+K"]);
  expect(nameKeys("g h", false)).toEqual(["G", "H"]);
});
