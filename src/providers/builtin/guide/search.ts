import type MiniSearch from "minisearch";
import { foldWords } from "#domain/text/search-words.ts";
import type { Section } from "./manual.ts";

export type SearchHit = { section: Section; score: number };
export type Search = {
  /** Sections that answer, best first; empty when none does. */
  answer(question: string): SearchHit[];
  /** Sections about any word of the question, best first. */
  nearest(question: string): SearchHit[];
};

const fillers = new Set(
  foldWords(
    "a an and any are as at be been but by can could d did do does doing for from get give had has have how i if in into is it its just ll long m make many me mean means much my of on or our please re s should show so some t tell than that the their them then there these they thing this those to too us ve want was we were what when where which while who whom whose why will with would you your about explain need use used using work works working possible way",
  ),
);

/** A word's stem, roughly; both sides go through it, so only what it confuses matters. */
const stem = (word: string): string =>
  word.length > 4
    ? word.replace(/(?:ing|ed|es|s|e)$/, "")
    : word.length > 3
      ? word.replace(/s$/, "")
      : word;

const wordsOf = (text: string): string[] => foldWords(text).map(stem);

/** "back up" and "set up" are one word in what people ask. */
const joinWords = (text: string): string =>
  text.replace(/\b(back|set|sign|log|shut|key)[ -](up|in|out|down|board)\b/gi, "$1$2");

const askedWords = (question: string): string[] => {
  const words = foldWords(joinWords(question));
  const telling = words.filter((word) => !fillers.has(word));
  return (telling.length > 0 ? telling : words).map(stem);
};

/** An index in memory over titles, other words and text. */
export async function createSearch(sections: readonly Section[]): Promise<Search> {
  const { default: Index } = await import("minisearch");
  const index: MiniSearch<Section> = new Index<Section>({
    fields: ["title", "pageTitle", "also", "text"],
    tokenize: (text) => wordsOf(joinWords(text)),
    processTerm: (term) => term,
    searchOptions: {
      boost: { title: 3, also: 2.5, pageTitle: 1.2 },
      prefix: (term) => term.length > 3,
      fuzzy: (term) => (term.length > 4 ? 0.2 : false),
      weights: { fuzzy: 0.3, prefix: 0.6 },
    },
  });
  index.addAll(sections);

  const look = (question: string) => {
    const asked = askedWords(question);
    return index.search({ queries: asked, combineWith: "OR" }).map((result) => {
      const section = sections[result.id as number]!;
      // A word in a heading, or among the words people ask with, says what a section is about; one in its text may be chance.
      // A misspelling seldom has another first letter: "faster" does not mean "master".
      const about = Object.entries(result.match).filter(([word, fields]) => {
        return (
          (fields.includes("title") || fields.includes("also")) &&
          asked.some((one) => one[0] === word[0])
        );
      });
      const isAbout = about.length > 0;
      const isSpelledSo = about.some(([word]) => asked.includes(word));
      const share = result.queryTerms.length / new Set(asked).size;
      return { section, score: result.score * share, isAbout, isSpelledSo, share };
    });
  };
  const order = (found: ReturnType<typeof look>) =>
    found.sort((one, other) => other.score - one.score || one.section.id - other.section.id);
  return {
    answer: (question) =>
      order(look(question)).filter((found) => found.isAbout && found.share >= 0.5),
    nearest: (question) => order(look(question)).filter((found) => found.isSpelledSo),
  };
}
