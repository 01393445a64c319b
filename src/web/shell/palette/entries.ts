import type { LucideIcon } from "lucide-react";
import type { Asset } from "#contract/entities.ts";
import { foldWords, hasEveryWord } from "#domain/text/search-words.ts";
import { groupBy } from "../../data/group-by.ts";
import type { Command } from "../../frame/commands.tsx";

/** A row of the palette: a command, a search result, or an act with the typed text. */
export type Entry = {
  /** Unique among the rows. */
  id: string;
  title: string;
  /** Shown at the end of the row. */
  hint?: string;
  icon?: LucideIcon;
  /** Shown in place of the icon. */
  asset?: Asset;
  shortcut?: string;
  keywords?: readonly string[];
  /** Matched by text that the title only quotes; matches by name come first. */
  isByText?: boolean;
  /** The palette stays open, because the row opens something inside it. */
  stays?: boolean;
  run: () => void;
};
export type EntryGroup = { heading: string; entries: readonly Entry[] };

const rowFirst = (commands: readonly Command[]): Command[] =>
  commands.toSorted((a, b) => Number(b.isOfRow ?? false) - Number(a.isOfRow ?? false));

/**
 * The palette's commands under their headings, before anything is typed. Those of the row that the
 * person is in come first.
 */
export function groupCommands(commands: readonly Command[]): EntryGroup[] {
  const shown = rowFirst(commands).filter(
    ({ isKeyOnly, isFoundOnly }) => !isKeyOnly && !isFoundOnly,
  );
  return [...groupBy(shown, ({ group }) => group)].map(([heading, entries]) => ({
    heading,
    entries: entries.map(({ hint: _, ...entry }) => entry),
  }));
}

/**
 * The commands available over a dialog: those of the dialog's row that the person is in, and the
 * shell's. The screen's commands are hidden, like their shortcuts, because nobody would see their
 * effect.
 */
export const commandsOverDialog = (commands: readonly Command[]): Command[] =>
  commands.filter(({ level, isOfRow }) => level === "shell" || isOfRow);

/**
 * The searchable commands. Outside of its group, a command's name alone may be too short to
 * understand. The open conversation's header and its row in the list have the same menu: one is
 * enough, the row's if the person is in it.
 */
export const findableCommands = (commands: readonly Command[]): Entry[] =>
  [
    ...groupBy(rowFirst(commands), ({ title, hint, id }) =>
      hint ? `${hint}\n${title}` : id,
    ).values(),
  ]
    .flatMap(([first]) => first ?? [])
    .filter(({ isKeyOnly }) => !isKeyOnly)
    .map(({ keywords = [], ...command }) => ({
      ...command,
      keywords: command.hint ? [...keywords, command.hint] : keywords,
    }));

/** The minimum score of a command; below it, the letters match by chance. */
const minFit = 0.12;
const maxCommands = 8;

/**
 * The commands that match the typed text, best first. A name's letters in order are enough. The
 * menu that a command is in only helps to find it: "Actions for <a title>" would match a word of the
 * title with each of its commands.
 * @param fit from 0 to 1
 */
export function rankCommands(
  entries: readonly Entry[],
  query: string,
  fit: (title: string, query: string, keywords?: string[]) => number,
): Entry[] {
  const words = query.split(/\s+/).filter((word) => word !== "");
  const isNamed = ({ title, keywords = [], hint }: Entry) => {
    const own = keywords.filter((keyword) => keyword !== hint);
    return words.some((word) => fit(title, word, own) >= minFit);
  };
  return entries
    .filter(isNamed)
    .map((entry) => ({ entry, score: fit(entry.title, query, [...(entry.keywords ?? [])]) }))
    .filter(({ score }) => score >= minFit)
    .sort((a, b) => b.score - a.score)
    .slice(0, maxCommands)
    .map(({ entry }) => entry);
}

/**
 * How a row's title matches the typed text. Rows that match in none of these ways were found by
 * other text, such as their prompt.
 */
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
 * The palette's order, which the manual states: groups are ordered by their best row. Exact names
 * come first, then names that begin with the text, then names that contain its words, then the
 * rest; equal groups keep their given order. Rows within a group keep their own search's order, and
 * `commands` theirs: those that match only by letters come last.
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

/**
 * Parses "make a red fox" as a request to make "a red fox", and "ask about tides" as a question
 * about tides.
 */
export function parseIntent(query: string): { verb: "make" | "ask" | null; text: string } {
  const trimmed = query.trim();
  const match = /^(make|draw|ask)(?:\s+(?:pictures? of|about|for))?\s+(\S.*)$/is.exec(trimmed);
  if (!match) return { verb: null, text: trimmed };
  return { verb: match[1]?.toLowerCase() === "ask" ? "ask" : "make", text: match[2] ?? "" };
}
