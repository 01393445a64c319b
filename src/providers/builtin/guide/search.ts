import type MiniSearch from "minisearch";
import { foldWords } from "#domain/text/search-words.ts";
import type { Section } from "./manual.ts";
import { type Asked, askedWords, stemsOf } from "./words.ts";

export type SearchHit = { section: Section; score: number };
export type Search = {
  /** Finds sections that answer the question, best first; empty when none does. */
  answer(question: string): SearchHit[];
  /** Finds sections about any word of the question, best first. */
  nearest(question: string): SearchHit[];
};

/** The share of a question, weighted by rarity, that a section must cover to answer it. */
const minShare = 0.55;
/** The share to be suggested when nothing answers. */
const nearShare = 0.35;
/** The weight of a word that nearly matches a word of the section. */
const misspelled = 0.7;

/** Builds an in-memory index over titles, other words and text. */
export async function createSearch(sections: readonly Section[]): Promise<Search> {
  const { default: Index } = await import("minisearch");
  const index: MiniSearch<Section> = new Index<Section>({
    fields: ["title", "pageTitle", "also", "text"],
    tokenize: stemsOf,
    processTerm: (term) => term,
    searchOptions: {
      // The words of a question are already stems.
      tokenize: (stem) => [stem],
      boost: { title: 3, also: 2.5, pageTitle: 1.2 },
      prefix: (term) => term.length > 3,
      fuzzy: (term) => (term.length > 4 ? 0.2 : false),
      weights: { fuzzy: 0.3, prefix: 0.6 },
    },
  });
  // A page's introduction has the page's title as its own, which should count once.
  index.addAll(
    sections.map((one) => (one.title === one.pageTitle ? { ...one, pageTitle: "" } : one)),
  );
  const rarityOf = countRarity(sections);
  const titlesOf = sections.map(({ title }) => new Set(stemsOf(title)));

  const look = (question: string) => {
    const { asked, isTelling } = askedWords(question);
    const all = new Set(stemsOf(question));
    const queries = [...new Set(asked.flatMap(({ word, others }) => [word, ...others]))];
    const isOwnWord = new Set(asked.map(({ word }) => word));
    const most = asked.reduce((sum, one) => sum + rarityOf(one), 0);
    const results = index.search(
      { queries, combineWith: "OR" },
      { boostTerm: (term) => (isOwnWord.has(term) ? 1 : 0.6) },
    );
    return results.flatMap((result) => {
      const section = sections[result.id as number]!;
      const name = section.names?.find((one) => hasPhrase(question, one));
      // Sections about one service answer only questions that name it.
      if (section.names && !name) return [];
      const named = new Set(stemsOf(name ?? ""));
      // A word in a heading, or among the other words, shows what a section is about; one in its
      // text may be chance. A misspelling rarely changes the first letter: "faster" doesn't mean
      // "master".
      const about = Object.entries(result.match).filter(
        ([word, fields]) =>
          (fields.includes("title") || fields.includes("also")) &&
          queries.some((one) => one[0] === word[0]),
      );
      const found = Object.keys(result.match);
      const shareOf = ({ word, others }: Asked): number => {
        if (named.has(word)) return 1;
        const matched = [word, ...others].filter((one) => result.queryTerms.includes(one));
        if (matched.length === 0) return 0;
        return matched.some((one) => found.some((term) => term.startsWith(one))) ? 1 : misspelled;
      };
      const share = asked.reduce((sum, one) => sum + shareOf(one) * rarityOf(one), 0) / most;
      return {
        section,
        score: result.score * share * (1 + likeness(all, titlesOf[section.id]!)),
        isAbout: isTelling
          ? about.length > 0
          : asked.every(({ word }) => about.some(([term]) => term === word)),
        isSpelledSo: about.some(([word]) => queries.includes(word)),
        share,
      };
    });
  };
  const order = (found: ReturnType<typeof look>) =>
    found.sort((one, other) => other.score - one.score || one.section.id - other.section.id);
  return {
    answer: (question) =>
      order(look(question)).filter((found) => found.isAbout && found.share >= minShare),
    nearest: (question) =>
      order(look(question)).filter(({ isSpelledSo, share }) => isSpelledSo && share >= nearShare),
  };
}

const hasPhrase = (text: string, phrase: string): boolean =>
  ` ${foldWords(text).join(" ")} `.includes(` ${foldWords(phrase).join(" ")} `);

/**
 * Returns the share of words that two sets have in common, including filler words: "where did it
 * go" is a question of its own.
 */
const likeness = (one: ReadonlySet<string>, other: ReadonlySet<string>): number => {
  const common = [...one].filter((word) => other.has(word)).length;
  return common / (one.size + other.size - common || 1);
};

/**
 * Weights a word by rarity: the fewer sections contain it, the more it counts. A word in none
 * counts the most.
 */
function countRarity(sections: readonly Section[]): (asked: Asked) => number {
  const counts = new Map<string, number>();
  for (const { title, pageTitle, also, text } of sections)
    for (const word of new Set(stemsOf(`${title} ${pageTitle} ${also} ${text}`)))
      counts.set(word, (counts.get(word) ?? 0) + 1);
  const words = [...counts.keys()];
  const seen = new Map<string, number>();
  const countOf = (word: string): number => {
    const known = counts.get(word) ?? seen.get(word);
    if (known !== undefined) return known;
    // Part of a word is as rare as the words that start with it.
    const begun = word.length > 3 ? words.filter((one) => one.startsWith(word)) : [];
    const count = begun.reduce((sum, one) => sum + counts.get(one)!, 0);
    seen.set(word, count);
    return count;
  };
  return ({ word, others }) => {
    const count = Math.max(countOf(word), ...others.map(countOf));
    return Math.log(1 + sections.length / (count + 1));
  };
}
