/** True where the command key stands in for Control. `navigator` is missing in tests and on the server. */
const isApple = typeof navigator !== "undefined" && /Mac|iPhone|iPad/.test(navigator.userAgent);

const appleNames: Record<string, string> = {
  mod: "⌘",
  shift: "⇧",
  alt: "⌥",
  enter: "↵",
  escape: "esc",
  backspace: "⌫",
};
const otherNames: Record<string, string> = {
  mod: "Ctrl",
  shift: "Shift",
  alt: "Alt",
  enter: "Enter",
  escape: "Esc",
  backspace: "Backspace",
};
const arrows: Record<string, string> = { up: "↑", down: "↓", left: "←", right: "→" };

/** How a shortcut is written for people: "mod+k" is one chord, "g h" two presses. One entry a press. */
export function nameKeys(shortcut: string, apple = isApple): string[] {
  const names = { ...arrows, ...(apple ? appleNames : otherNames) };
  return shortcut.split(" ").map((press) =>
    press
      .split("+")
      .map((key) => names[key] ?? key.toUpperCase())
      .join(apple ? "" : "+"),
  );
}

/** The part of a keyboard event that a shortcut is matched against. */
export type KeyPress = {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  shiftKey: boolean;
};

/** Whether an event is this press ("mod+k", "?", "g"). Shift is left to the character where the key is no letter: "?" is Shift and "/" here, another key there. */
export function isPress(event: KeyPress, press: string, apple = isApple): boolean {
  const parts = press.split("+");
  const key = parts.at(-1) ?? "";
  const wantsMod = parts.includes("mod");
  if (wantsMod !== (apple ? event.metaKey : event.ctrlKey)) return false;
  if (parts.includes("alt") !== event.altKey) return false;
  const isNamed = /^[a-z0-9]$/.test(key) || key.length > 1;
  if (isNamed && parts.includes("shift") !== event.shiftKey) return false;
  const pressed = event.key.toLowerCase().replace(/^arrow/, "");
  return pressed === key;
}
