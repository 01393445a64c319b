import { expect, it } from "vitest";
import type { Command } from "../../frame/commands.tsx";
import { nameKeys } from "../../ui/keys.ts";
import { createShortcutListener, type PressContext } from "./shortcuts.ts";

type Held = { shift?: boolean; control?: boolean; alt?: boolean };

/**
 * A keyboard event with the fields that shortcuts are matched against. Control is the command key
 * on the tests' platform.
 */
function press(key: string, { shift = false, control = false, alt = false }: Held = {}) {
  const held: Record<string, boolean> = { Shift: shift, Control: control, Alt: alt };
  return {
    key,
    code: "some",
    ctrlKey: control,
    metaKey: false,
    target: null,
    getModifierState: (name: string) => held[name] ?? false,
    preventDefault() {},
  } as unknown as KeyboardEvent;
}

/** The shortcuts whose commands ran, for a sequence of presses. */
function pressAll(shortcuts: string[], ...presses: KeyboardEvent[]): string[] {
  return pressIn("page", shortcuts, presses);
}

function pressIn(place: PressContext, shortcuts: string[], presses: KeyboardEvent[]): string[] {
  const ran: string[] = [];
  const commands = shortcuts.map(
    (shortcut): Command => ({
      id: shortcut,
      title: shortcut,
      group: "",
      shortcut,
      isEverywhere: shortcut === "mod+k",
      run: () => ran.push(shortcut),
    }),
  );
  const listener = createShortcutListener({ all: () => commands }, () => place);
  for (const event of presses) listener(event);
  return ran;
}

const all = ["mod+k", "?", "h", "g h", "shift+n", "n", "["];

it("finds a chord by the platform's command key", () => {
  expect(pressAll(all, press("k", { control: true }), press("k"))).toEqual(["mod+k"]);
});

it("prefers two keys in a row to the second alone", () => {
  expect(pressAll(all, press("h"))).toEqual(["h"]);
  expect(pressAll(all, press("g"), press("h"), press("h"))).toEqual(["g h", "h"]);
});

it("accepts a symbol wherever the keyboard has it", () => {
  expect(pressAll(all, press("?", { shift: true }), press("?"))).toEqual(["?", "?"]);
  expect(pressAll(all, press("[", { alt: true }))).toEqual(["["]);
});

it("distinguishes a letter with Shift from the letter", () => {
  expect(pressAll(all, press("N", { shift: true }), press("n"))).toEqual(["shift+n", "n"]);
});

it("ignores plain keys while a person types", () => {
  expect(pressIn("text", all, [press("n"), press("k", { control: true })])).toEqual(["mod+k"]);
});

const ofScreens = ["mod+k", "mod+enter", "mod+a", "mod+z", "n", "right", "space"];
const withControl = ["Enter", "a", "z", "k"].map((key) => press(key, { control: true }));

it("leaves selecting and undoing to text fields", () => {
  expect(pressIn("text", ofScreens, withControl)).toEqual(["mod+enter", "mod+k"]);
});

it("runs none of the screen's commands from inside a popup", () => {
  expect(pressIn("popup", ofScreens, [press("n"), ...withControl])).toEqual(["mod+k"]);
});

it("leaves a slider's and a checkbox's own keys to them, and no others", () => {
  const space = Object.assign(press(" "), { code: "Space" });
  const presses = [press("ArrowRight"), space, press("n"), ...withControl.slice(0, 1)];
  expect(pressIn("choice", ofScreens, presses)).toEqual(["n", "mod+enter"]);
  expect(pressIn("slider", ofScreens, presses)).toEqual(["space", "n", "mod+enter"]);
});

it("keeps the first key of a sequence while the commands change", () => {
  const ran: string[] = [];
  let commands: Command[] = [];
  const listener = createShortcutListener({ all: () => commands }, () => "page");
  const command = { id: "home", title: "", group: "", shortcut: "g h" };
  commands = [{ ...command, run: () => ran.push("before") }];
  listener(press("g"));
  commands = [{ ...command, run: () => ran.push("after") }];
  listener(press("h"));
  expect(ran).toEqual(["after"]);
});

it("writes keys as the platform does", () => {
  expect(nameKeys("mod+shift+k", true)).toEqual(["⌘⇧K"]);
  expect(nameKeys("mod+shift+k", false)).toEqual(["Ctrl+Shift+K"]);
  expect(nameKeys("g h", false)).toEqual(["G", "H"]);
});

it("releasing Space presses no focused button after the press has run a shortcut", () => {
  /** Whether a release was taken from the button that has the focus, for each released key. */
  const release = (shortcuts: string[], key: string, ...released: string[]) => {
    const target = new EventTarget();
    const code = key === " " ? "Space" : "some";
    pressAll(shortcuts, Object.assign(press(key), { code, target }));
    return released.map((name) => {
      const event = Object.assign(new Event("keyup", { cancelable: true }), { key: name });
      target.dispatchEvent(event);
      return event.defaultPrevented;
    });
  };
  expect(release(["space"], " ", " ", " ")).toEqual([true, false]);
  expect(release(["l"], "l", "l")).toEqual([false]);
  expect(release(["l"], " ", " ")).toEqual([false]);
  // → is still held while Space is pressed.
  expect(release(["space"], " ", "ArrowRight", " ")).toEqual([false, true]);
});
