import type { LucideIcon } from "lucide-react";
import type { Asset } from "#contract/entities.ts";
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
  /** The palette stays open: the line shows something in it. */
  stays?: boolean;
  run: () => void;
};
export type EntryGroup = { heading: string; entries: readonly Entry[] };

/** The palette's commands without those that are only a shortcut, by their headings. */
export function groupCommands(commands: readonly Command[]): EntryGroup[] {
  const shown = commands.filter(({ isKeyOnly }) => !isKeyOnly);
  return [...Map.groupBy(shown, ({ group }) => group)].map(([heading, entries]) => ({
    heading,
    entries,
  }));
}

/** At least so much a command has to fit what was typed: less is letters that happen to be in it. */
const leastFit = 0.12;
const commandsMost = 8;

/** @param fit from 0 to 1 */
export type Fit = (title: string, query: string, keywords?: string[]) => number;

/** The commands that fit what was typed, best first, with how well the first of them does. */
export function rankEntries(
  entries: readonly Entry[],
  query: string,
  fit: Fit,
): { entries: Entry[]; best: number } {
  const fitting = entries
    .map((entry) => ({ entry, score: fit(entry.title, query, [...(entry.keywords ?? [])]) }))
    .filter(({ score }) => score >= leastFit)
    .sort((a, b) => b.score - a.score)
    .slice(0, commandsMost);
  return { entries: fitting.map(({ entry }) => entry), best: fitting[0]?.score ?? 0 };
}

/** "make a red fox" wants "a red fox" made, "ask about tides" an answer about them. */
export function readWish(query: string): { verb: "make" | "ask" | null; text: string } {
  const trimmed = query.trim();
  const wish = /^(make|draw|ask)(?:\s+(?:pictures? of|about|for))?\s+(\S.*)$/is.exec(trimmed);
  if (!wish) return { verb: null, text: trimmed };
  return { verb: wish[1]?.toLowerCase() === "ask" ? "ask" : "make", text: wish[2] ?? "" };
}
