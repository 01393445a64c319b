import { useEffect } from "react";
import { type Command, useCommandRegistry } from "../../frame/commands.tsx";
import { isPress, type KeyPress } from "../../ui/keys.ts";

/** How long the first key of "g h" waits for the second. */
const sequenceMs = 1_200;

/**
 * Finds the command that a press asks for. `before` is the press before it, if it was recent. While typing only presses with
 * the command key count.
 */
export function findCommand(
  commands: readonly Command[],
  press: KeyPress,
  before: KeyPress | null,
  isTyping: boolean,
): Command | undefined {
  if (isTyping && !press.metaKey && !press.ctrlKey) return undefined;
  const fits = (shortcut: string) => {
    const [first = "", second] = shortcut.split(" ");
    if (second === undefined) return isPress(press, first);
    return before !== null && isPress(before, first) && isPress(press, second);
  };
  // The longer one wins, so that "g h" is not taken by an "h".
  const found = commands.filter(({ shortcut }) => shortcut && fits(shortcut));
  return found.sort((a, b) => (b.shortcut?.length ?? 0) - (a.shortcut?.length ?? 0))[0];
}

const isTypingIn = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

const isInDialog = (target: EventTarget | null): boolean =>
  target instanceof Element &&
  target.closest('[role="dialog"],[role="menu"],[role="listbox"]') !== null;

/** Listens for the shortcuts of all commands. Once, in the shell. */
export function useShortcuts(): void {
  const registry = useCommandRegistry();
  useEffect(() => {
    let before: { press: KeyPress; at: number } | null = null;
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing || event.repeat) return;
      const isTyping = isTypingIn(event.target) || isInDialog(event.target);
      const recent = before && event.timeStamp - before.at < sequenceMs ? before.press : null;
      const command = findCommand(registry.all(), event, recent, isTyping);
      before =
        command || isTyping || event.key === "Shift" ? null : { press: event, at: event.timeStamp };
      if (!command) return;
      event.preventDefault();
      command.run();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, [registry]);
}
