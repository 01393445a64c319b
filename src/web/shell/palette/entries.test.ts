import { expect, it } from "vitest";
import type { Command } from "../../frame/commands.tsx";
import {
  commandsOverDialog,
  type Entry,
  type EntryGroup,
  findableCommands,
  groupCommands,
  rankCommands,
  rankGroups,
  readWish,
} from "./entries.ts";

const entry = (title: string, rest: Partial<Entry> = {}): Entry => ({
  id: title,
  title,
  run: () => {},
  ...rest,
});
const group = (heading: string, ...titles: (string | Entry)[]): EntryGroup => ({
  heading,
  entries: titles.map((one) => (typeof one === "string" ? entry(one) : one)),
});
const order = (commands: EntryGroup, found: EntryGroup[], query: string) =>
  rankGroups(commands, found, query).map(({ heading }) => heading);
const none = group("Commands");

it("puts the group first whose name is what was typed, then one that begins with it, then one with its words", () => {
  const found = [
    group("Elsewhere", "A boat by night"),
    group("Words", "The harbor arches"),
    group("Begins", "Arches in green"),
    group("Name", "Árches"),
  ];
  expect(order(none, found, "arches")).toEqual(["Name", "Begins", "Words", "Elsewhere"]);
});

it("leaves equal groups as they were given, and a text that is only quoted behind names", () => {
  const quoted = entry("Arches: “a cover”", { isByText: true });
  const found = [group("Messages", quoted), group("Library", "Boat"), group("Models", "Arches 2")];
  expect(order(none, found, "arches")).toEqual(["Models", "Messages", "Library"]);
});

it("puts commands before what fits as well, and last where only their letters fit", () => {
  const found = [group("Library", "Usage of the quay")];
  expect(order(group("Commands", "Usage"), found, "usage")).toEqual(["Commands", "Library"]);
  expect(order(group("Commands", "Usage"), found, "usage of")).toEqual(["Library", "Commands"]);
  expect(order(group("Commands", "Unused lists"), [group("Library", "Boat")], "usage")).toEqual([
    "Library",
    "Commands",
  ]);
});

it("finds a command by its other words, beside those of its name", () => {
  const settings = entry("Profile", { keywords: ["Settings"] });
  const found = [group("Library", "Boat")];
  expect(order(group("Commands", settings), found, "settings prof")).toEqual([
    "Commands",
    "Library",
  ]);
});

it("orders the lines of a group by how well they fit, and else as its search did", () => {
  const [only] = rankGroups(none, [group("Library", "Old boat", "New boat", "Boat 7")], "boat");
  expect(only?.entries.map(({ title }) => title)).toEqual(["Boat 7", "Old boat", "New boat"]);
});

it("drops groups without a line, and commands that don't fit", () => {
  expect(rankGroups(none, [group("Models")], "x")).toEqual([]);
  const fit = (title: string) => (title === "Usage" ? 0.9 : 0.05);
  expect(
    rankCommands([entry("Home"), entry("Usage")], "usage", fit).map(({ title }) => title),
  ).toEqual(["Usage"]);
});

it("lists the acts of the row that one is in first, and what is only looked for not at all", () => {
  const command = (title: string, rest: Partial<Command>): Command => ({
    ...{ id: title, title, group: "On this screen", run: () => {} },
    ...rest,
  });
  const commands = [
    command("Home", { group: "Go to" }),
    command("Oldest first", { isFoundOnly: true }),
    command("Rename", { group: "Actions for Harbor", hint: "Actions for Harbor", isOfRow: true }),
  ];
  expect(groupCommands(commands).map(({ heading }) => heading)).toEqual([
    "Actions for Harbor",
    "Go to",
  ]);
  expect(groupCommands(commands)[0]?.entries[0]?.hint).toBeUndefined();
  const found = findableCommands(commands);
  expect(found.map(({ title }) => title)).toEqual(["Home", "Oldest first", "Rename"]);
  expect(found[2]).toMatchObject({
    hint: "Actions for Harbor",
    keywords: ["Actions for Harbor"],
  });
});

it("reads a wish from its first word alone", () => {
  expect(readWish("make pictures of a fox")).toEqual({ verb: "make", text: "a fox" });
  expect(readWish("Ask about tides")).toEqual({ verb: "ask", text: "tides" });
  expect(readWish("makers of boats")).toEqual({ verb: null, text: "makers of boats" });
});

it("keeps over a dialog the commands of the shell and of the row in it, and none of the screen behind", () => {
  const command = (id: string, rest: Partial<Command>): Command => ({
    id,
    title: id,
    group: "Here",
    run: () => {},
    ...rest,
  });
  const all = [
    command("home", { level: "shell" }),
    command("new", { level: "screen" }),
    command("rename", { level: "screen", isOfRow: true }),
    command("next", { level: "cover" }),
  ];
  expect(commandsOverDialog(all).map(({ id }) => id)).toEqual(["home", "rename"]);
});
