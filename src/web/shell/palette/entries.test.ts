import { expect, it } from "vitest";
import type { Command } from "../../frame/commands.tsx";
import {
  commandsOverDialog,
  type Entry,
  type EntryGroup,
  findableCommands,
  groupCommands,
  parseIntent,
  rankCommands,
  rankGroups,
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

it("puts the group with the typed name first, then names that start with it, then names with its words", () => {
  const found = [
    group("Elsewhere", "A boat by night"),
    group("Words", "The harbor arches"),
    group("Begins", "Arches in green"),
    group("Name", "Árches"),
  ];
  expect(order(none, found, "arches")).toEqual(["Name", "Begins", "Words", "Elsewhere"]);
});

it("keeps equal groups in their order, and puts quoted text after names", () => {
  const quoted = entry("Arches: “a cover”", { isByText: true });
  const found = [group("Messages", quoted), group("Library", "Boat"), group("Models", "Arches 2")];
  expect(order(none, found, "arches")).toEqual(["Models", "Messages", "Library"]);
});

it("puts commands before equally good results, and last if only their letters match", () => {
  const found = [group("Library", "Usage of the quay")];
  expect(order(group("Commands", "Usage"), found, "usage")).toEqual(["Commands", "Library"]);
  expect(order(group("Commands", "Usage"), found, "usage of")).toEqual(["Library", "Commands"]);
  expect(order(group("Commands", "Unused lists"), [group("Library", "Boat")], "usage")).toEqual([
    "Library",
    "Commands",
  ]);
});

it("finds a command by its synonyms as well as its name", () => {
  const settings = entry("Profile", { keywords: ["Settings"] });
  const found = [group("Library", "Boat")];
  expect(order(group("Commands", settings), found, "settings prof")).toEqual([
    "Commands",
    "Library",
  ]);
});

it("orders a group's rows by how well they match, or else as the search did", () => {
  const [only] = rankGroups(none, [group("Library", "Old boat", "New boat", "Boat 7")], "boat");
  expect(only?.entries.map(({ title }) => title)).toEqual(["Boat 7", "Old boat", "New boat"]);
});

it("drops groups without rows, and commands that don't match", () => {
  expect(rankGroups(none, [group("Models")], "x")).toEqual([]);
  const fit = (title: string) => (title === "Usage" ? 0.9 : 0.05);
  expect(
    rankCommands([entry("Home"), entry("Usage")], "usage", fit).map(({ title }) => title),
  ).toEqual(["Usage"]);
});

it("finds a command with a word of its menu's name, but not by that name alone", () => {
  const hint = "Actions for A lighthouse in fog";
  const commands = [entry("Rename", { hint, keywords: [hint] }), entry("Lighthouse settings")];
  const fit = (title: string, words: string, keywords: string[] = []) => {
    const known = [title, ...keywords].join(" ").toLowerCase();
    return words.split(" ").every((word) => known.includes(word)) ? 1 : 0;
  };
  const found = (query: string) => rankCommands(commands, query, fit).map(({ title }) => title);
  expect(found("rename lighthouse")).toEqual(["Rename"]);
  expect(found("lighthouse")).toEqual(["Lighthouse settings"]);
});

it("lists the focused row's actions first, and hides those that must be searched for", () => {
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
  expect(found.map(({ title }) => title)).toEqual(["Rename", "Home", "Oldest first"]);
  expect(found[0]).toMatchObject({
    hint: "Actions for Harbor",
    keywords: ["Actions for Harbor"],
  });
});

it("lists a menu once that the screen's header and the focused row both have", () => {
  const run = () => {};
  const rename = { title: "Rename", group: "Harbor", hint: "Actions for Harbor", run };
  const commands: Command[] = [
    { ...rename, id: "header" },
    { ...rename, id: "row", isOfRow: true },
    { ...rename, id: "other", hint: "Actions for Quay" },
  ];
  expect(findableCommands(commands).map(({ id }) => id)).toEqual(["row", "other"]);
});

it("recognizes a request by its first word only", () => {
  expect(parseIntent("make pictures of a fox")).toEqual({ verb: "make", text: "a fox" });
  expect(parseIntent("Ask about tides")).toEqual({ verb: "ask", text: "tides" });
  expect(parseIntent("makers of boats")).toEqual({ verb: null, text: "makers of boats" });
});

it("over a dialog keeps the commands of the shell and of the dialog's row, and none of the screen behind it", () => {
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
