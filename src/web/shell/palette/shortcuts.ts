import { useEffect } from "react";
import { createKeybindingsHandler } from "tinykeys";
import { type CommandRegistry, useCommandRegistry } from "../../frame/commands.tsx";

/** How long the first key of "g h" waits for the second. */
const sequenceMs = 1_200;

const keyNames: Record<string, string> = {
  mod: "$mod",
  shift: "Shift",
  alt: "Alt",
  up: "ArrowUp",
  down: "ArrowDown",
  left: "ArrowLeft",
  right: "ArrowRight",
  home: "Home",
  end: "End",
  escape: "Escape",
  space: "Space",
};

/**
 * A shortcut ("mod+k", "?", "g h") in the grammar of tinykeys. Shift and Alt are left to the character where the key is no
 * letter, digit or name: "?" is Shift and "/" here, another key there; "[" is Alt and 5 on a German Mac.
 */
function toKeybinding(shortcut: string): string {
  const presses = shortcut.split(" ").map((press) => {
    const keys = press === "+" ? [press] : press.split("+");
    const isSign = /^[^a-z0-9]$/.test(keys.at(-1) ?? "");
    return [
      ...(isSign ? ["[Shift]", "[Alt]"] : []),
      ...keys.map((key) => keyNames[key] ?? key),
    ].join("+");
  });
  return presses.join(" ");
}

const isTypingIn = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/** A dialog that fills the page, with commands of its own, takes shortcuts like a screen. */
const isInDialog = (target: EventTarget | null): boolean => {
  if (!(target instanceof Element)) return false;
  const popup = target.closest('[role="dialog"],[role="menu"],[role="listbox"]');
  return popup !== null && !popup.hasAttribute("data-takes-shortcuts");
};

/**
 * A listener for the shortcuts of a registry's commands. While typing only presses with the command key count. A change of the
 * commands keeps the first key of a sequence.
 */
export function createShortcutListener(
  registry: Pick<CommandRegistry, "all">,
  isTyping: (target: EventTarget | null) => boolean,
): (event: KeyboardEvent) => void {
  const isIgnored = (event: KeyboardEvent): boolean =>
    event.defaultPrevented ||
    event.isComposing ||
    (isTyping(event.target) && !event.metaKey && !event.ctrlKey);
  let known = "";
  let listen: (event: KeyboardEvent) => void = () => {};
  return (event) => {
    const shortcuts = [...new Set(registry.all().flatMap(({ shortcut }) => shortcut ?? []))];
    // The longer one comes first, so that "g h" is not taken by an "h".
    shortcuts.sort((a, b) => b.length - a.length || a.localeCompare(b));
    if (known !== shortcuts.join("\n")) {
      known = shortcuts.join("\n");
      const bindings = shortcuts.map((shortcut) => [
        toKeybinding(shortcut),
        (press: KeyboardEvent) => {
          press.preventDefault();
          const command = registry.all().find((one) => one.shortcut === shortcut);
          if (!press.repeat || command?.repeats) command?.run();
        },
      ]);
      listen = createKeybindingsHandler(Object.fromEntries(bindings), {
        timeout: sequenceMs,
        ignore: isIgnored,
      });
    }
    listen(event);
  };
}

/** Listens for the shortcuts of all commands. Once, in the shell. */
export function useShortcuts(): void {
  const registry = useCommandRegistry();
  useEffect(() => {
    const listener = createShortcutListener(
      registry,
      (target) => isTypingIn(target) || isInDialog(target),
    );
    document.addEventListener("keydown", listener);
    return () => document.removeEventListener("keydown", listener);
  }, [registry]);
}
