import type { LucideIcon } from "lucide-react";
import type { Asset } from "#contract/entities.ts";
import { foldWords, hasEveryWord } from "#domain/text/search-words.ts";
import { groupBy } from "../../data/group-by.ts";
import type { Command } from "../../frame/commands.tsx";

/** A line of the palette: a command, something found, or a start with the typed words. */
export type Entry = {
  /** Unique among the lines. */
  id: string;
  title: string;
  /** At the end of the line. */
  hint?: string;
  icon?: LucideIcon;
  /** What is shown in place of the icon. */
  asset?: Asset;
  shortcut?: string;
  keywords?: readonly string[];
  /** Found by a text that its title only quotes: however that begins, names come first. */
  isByText?: boolean;
  /** The palette stays open: the line shows something in it. */
  stays?: boolean;
  run: () => void;
};
export type EntryGroup = { heading: string; entries: readonly Entry[] };

/** The palette's commands by their headings, before anything is typed: those of the row that the person is in come first. */
export function groupCommands(commands: readonly Command[]): EntryGroup[] {
  const shown = commands
    .filter(({ isKeyOnly, isFoundOnly }) => !isKeyOnly && !isFoundOnly)
    .toSorted((a, b) => Number(b.isOfRow ?? false) - Number(a.isOfRow ?? false));
  return [...groupBy(shown, ({ group }) => group)].map(([heading, entries]) => ({
    heading,
    entries: entries.map(({ hint: _, ...entry }) => entry),
  }));
}

/**
 * What is left of the commands over a dialog: the row in it that the person is in, and the shell. As with their keys, those of the
 * screen behind it are not meant: nobody would see what they do.
 */
export const commandsOverDialog = (commands: readonly Command[]): Command[] =>
  commands.filter(({ level, isOfRow }) => level === "shell" || isOfRow);

/** The commands that can be looked for: out of their group, their name alone may say too little. */
export const findableCommands = (commands: readonly Command[]): Entry[] =>
  commands
    .filter(({ isKeyOnly }) => !isKeyOnly)
    .map(({ keywords = [], ...command }) => ({
      ...command,
      keywords: command.hint ? [...keywords, command.hint] : keywords,
    }));

/** At least so much a command has to fit what was typed: less is letters that happen to be in it. */
const leastFit = 0.12;
const commandsMost = 8;

/**
 * The commands that fit what was typed, best first: letters of a name in their order are enough.
 * @param fit from 0 to 1
 */
export function rankCommands(
  entries: readonly Entry[],
  query: string,
  fit: (title: string, query: string, keywords?: string[]) => number,
): Entry[] {
  return entries
    .map((entry) => ({ entry, score: fit(entry.title, query, [...(entry.keywords ?? [])]) }))
    .filter(({ score }) => score >= leastFit)
    .sort((a, b) => b.score - a.score)
    .slice(0, commandsMost)
    .map(({ entry }) => entry);
}

/** How a line fits what was typed. A line that is none of these was found by something else of it: its prompt, its text. */
const fits = { isName: 3, begins: 2, hasWords: 1, none: 0 } as const;

function fitOf({ title, keywords = [], isByText }: Entry, query: string): number {
  if (isByText) return fits.none;
  const [asked, name] = [foldWords(query).join(" "), foldWords(title).join(" ")];
  if (asked === "") return fits.none;
  if (name === asked) return fits.isName;
  if (name.startsWith(asked)) return fits.begins;
  return hasEveryWord([title, ...keywords].join(" "), query) ? fits.hasWords : fits.none;
}

/**
 * The order of the palette, which the manual states: a group stands by its best line. First where a name is what was typed, then
 * where one begins with it, then where one has its words, then the rest; groups that are equal stay as they were given. So do the
 * lines of a group, which its own search has ordered. `commands` were given in their own order: where only their letters fit, they
 * come last.
 */
export function rankGroups(
  commands: EntryGroup,
  found: readonly EntryGroup[],
  query: string,
): EntryGroup[] {
  const standing = ({ entries }: EntryGroup) =>
    Math.max(...entries.map((entry) => fitOf(entry, query)));
  const ofCommands = standing(commands);
  return [
    { group: commands, at: ofCommands === fits.none ? -1 : ofCommands },
    ...found.map(({ heading, entries }) => {
      const group = {
        heading,
        entries: entries.toSorted((a, b) => fitOf(b, query) - fitOf(a, query)),
      };
      return { group, at: standing(group) };
    }),
  ]
    .filter(({ group }) => group.entries.length > 0)
    .sort((a, b) => b.at - a.at)
    .map(({ group }) => group);
}

/** "make a red fox" wants "a red fox" made, "ask about tides" an answer about them. */
export function readWish(query: string): { verb: "make" | "ask" | null; text: string } {
  const trimmed = query.trim();
  const wish = /^(make|draw|ask)(?:\s+(?:pictures? of|about|for))?\s+(\S.*)$/is.exec(trimmed);
  if (!wish) return { verb: null, text: trimmed };
  return { verb: wish[1]?.toLowerCase() === "ask" ? "ask" : "make", text: wish[2] ?? "" };
}
