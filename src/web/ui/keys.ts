/** Whether the command key replaces Control. `navigator` is missing in tests and on the server. */
const isApple = typeof navigator !== "undefined" && /Mac|iPhone|iPad/.test(navigator.userAgent);

const appleNames: Record<string, string> = {
  mod: "⌘",
  shift: "⇧",
  alt: "⌥",
  enter: "↵",
  escape: "esc",
  backspace: "⌫",
  delete: "⌫",
};
const otherNames: Record<string, string> = {
  mod: "Ctrl",
  shift: "Shift",
  alt: "Alt",
  enter: "Enter",
  escape: "Esc",
  backspace: "Backspace",
  delete: "Del",
};
const arrows: Record<string, string> = {
  up: "↑",
  down: "↓",
  left: "←",
  right: "→",
  home: "Home",
  end: "End",
  space: "Space",
};

/**
 * A shortcut's readable keys: "mod+k" is one chord, "g h" is two presses. Returns one entry per
 * press.
 */
export function nameKeys(shortcut: string, apple = isApple): string[] {
  const names = { ...arrows, ...(apple ? appleNames : otherNames) };
  return shortcut
    .split(" ")
    .map((press) =>
      (press === "+" ? [press] : press.split("+"))
        .map((key) => names[key] ?? key.toUpperCase())
        .join(apple ? "" : "+"),
    );
}
