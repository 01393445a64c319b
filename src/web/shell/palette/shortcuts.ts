import { useEffect } from "react";
import { createKeybindingsHandler } from "tinykeys";
import { popupOf } from "../../frame/active-element.ts";
import { type Command, type CommandRegistry, useCommandRegistry } from "../../frame/commands.tsx";

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
  // Mac keyboards name Backspace "delete".
  delete: "(Delete|Backspace)",
};

/**
 * Converts a shortcut ("mod+k", "?", "g h") to tinykeys' grammar. Shift and Alt are ignored unless
 * the key is a letter, digit or name, because layouts differ: "?" is Shift and "/" here, another
 * key elsewhere; "[" is Alt and 5 on a German Mac.
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

/** The kind of element with the focus, which takes some keys for itself. */
export type PressContext = "page" | "choice" | "slider" | "text" | "popup";

const choiceTypes = /^(checkbox|radio)$/;
/** The keys that change a checkbox or a radio button, or move between them. */
const choiceKeys = /^(Arrow|Home$|End$|Page| $|Enter$)/;
/** A slider leaves Space, which plays a film after its place was set. */
const sliderKeys = /^(Arrow|Home$|End$|Page)/;
/** The command key's shortcuts that a text field handles itself: select all, undo, redo. */
const textShortcuts = /^mod\+(a|y|z|shift\+z)$/;

function contextOf(target: EventTarget | null): PressContext {
  if (!(target instanceof HTMLElement)) return "page";
  if (popupOf(target)) return "popup";
  if (target instanceof HTMLInputElement && target.type === "range") return "slider";
  if (target instanceof HTMLInputElement && choiceTypes.test(target.type)) return "choice";
  const isText = target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
  return isText ? "text" : "page";
}

/**
 * Shortcuts in a popup don't reach the screen behind it, where a key could start a run that nobody
 * sees.
 */
const reaches = (shortcut: string, place: PressContext, command: Command | undefined): boolean =>
  place === "popup"
    ? command?.isEverywhere === true
    : place !== "text" || !textShortcuts.test(shortcut);

/**
 * Stops the release of Space from clicking the focused button. Firefox clicks it even if a shortcut
 * handled the press. Another key may be released first.
 */
function holdButton(target: EventTarget | null): void {
  const hold = (event: Event) => {
    if ((event as KeyboardEvent).key !== " ") return;
    event.preventDefault();
    target?.removeEventListener("keyup", hold);
  };
  target?.addEventListener("keyup", hold);
}

/**
 * A listener for a registry's shortcuts. While typing, only presses with the command key count. A
 * change of the commands keeps a started sequence.
 */
export function createShortcutListener(
  registry: Pick<CommandRegistry, "all">,
  findPlace: (target: EventTarget | null) => PressContext,
): (event: KeyboardEvent) => void {
  const isIgnored = (event: KeyboardEvent): boolean => {
    if (event.defaultPrevented || event.isComposing) return true;
    if (event.metaKey || event.ctrlKey) return false;
    const place = findPlace(event.target);
    if (place === "slider") return sliderKeys.test(event.key);
    return place === "choice" ? choiceKeys.test(event.key) : place !== "page";
  };
  let known = "";
  let listen: (event: KeyboardEvent) => void = () => {};
  return (event) => {
    const shortcuts = [...new Set(registry.all().flatMap(({ shortcut }) => shortcut ?? []))];
    // Longer ones come first, so that "g h" isn't taken by "h".
    shortcuts.sort((a, b) => b.length - a.length || a.localeCompare(b));
    if (known !== shortcuts.join("\n")) {
      known = shortcuts.join("\n");
      const bindings = shortcuts.map((shortcut) => [
        toKeybinding(shortcut),
        (press: KeyboardEvent) => {
          const command = registry.all().find((one) => one.shortcut === shortcut);
          if (!reaches(shortcut, findPlace(press.target), command)) return;
          press.preventDefault();
          if (press.key === " ") holdButton(press.target);
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

/** Listens for all commands' shortcuts. Used once, in the shell. */
export function useShortcuts(): void {
  const registry = useCommandRegistry();
  useEffect(() => {
    const listener = createShortcutListener(registry, contextOf);
    document.addEventListener("keydown", listener);
    return () => document.removeEventListener("keydown", listener);
  }, [registry]);
}
