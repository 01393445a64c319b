import { beforeAll, expect, it } from "vitest";
import type { Command } from "../../frame/commands.tsx";
import { loadArea } from "../../messages/areas.ts";
import { listShortcuts } from "./list-shortcuts.ts";

beforeAll(() => loadArea("palette"));

const command = (id: string, rest: Partial<Command> = {}): Command => ({
  id,
  title: id,
  group: "Here",
  run: () => {},
  ...rest,
});

it("lists every key of a command, also of one hidden from the palette", () => {
  const commands = [
    command("new", { shortcut: "c" }),
    command("rate", { shortcut: "1", isFoundOnly: true }),
    command("home", { shortcut: "g h", group: "Go to" }),
    command("archive"),
  ];
  const [here, go] = listShortcuts(commands);
  expect(here?.lines.flatMap(({ keys }) => keys)).toEqual(["c", "1"]);
  expect(go).toMatchObject({ heading: "Go to", lines: [{ keys: ["g h"] }] });
});

it("lists the keys of the parts on the page, and always those of the palette", () => {
  const headings = (commands: Command[]) => listShortcuts(commands).map(({ heading }) => heading);
  expect(headings([])).toEqual(["In the command palette"]);
  const grid = command("keys:grid", { keysOf: "grid", isKeyOnly: true });
  expect(headings([grid])).toEqual(["In a gallery", "In the command palette"]);
  const [ofGrid] = listShortcuts([grid]);
  expect(ofGrid?.lines.find(({ title }) => title === "Select")?.keys).toEqual(["space"]);
});

it("lists the keys of parts for which the screen has no command", () => {
  const keysOf = (part: NonNullable<Command["keysOf"]>) =>
    listShortcuts([command(`keys:${part}`, { keysOf: part, isKeyOnly: true })])[0]?.lines.flatMap(
      ({ keys }) => keys,
    );
  expect(keysOf("thread")).toEqual(expect.arrayContaining(["home", "end"]));
  expect(keysOf("dictation")).toEqual(["enter", "escape"]);
  expect(keysOf("dates")).toEqual(expect.arrayContaining(["up", "pgdn", "home"]));
  expect(keysOf("viewer")).toContain("shift+left");
  expect(keysOf("crop")).toEqual(expect.arrayContaining(["left", "shift+left", "mod+left"]));
});
