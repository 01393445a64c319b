import { foldWords } from "#domain/text/search-words.ts";
import type { Section } from "./manual.ts";
import type { Search, SearchHit } from "./search.ts";

/** The guide's answer as Markdown, and the sections it is based on. */
export type Reply = { text: string; sources: Section[] };

const whatIAm = "I’m the guide. I search Bottega’s manual, and I’m not a language model.";

export const exampleQuestions = [
  "What is a run?",
  "How do I connect fal?",
  "Where are my files?",
  "What is the difference between make again and vary?",
];

const greetings = new Set(
  foldWords(
    "hi hello hey hallo hola ciao bonjour servus moin good morning afternoon evening day there guide yo greetings howdy",
  ),
);
const thanks = new Set(
  foldWords(
    "thanks thank you thx danke merci great ok okay perfect cool nice very much so that helps helped got it",
  ),
);

/**
 * `questions` are the person's messages, oldest first. A follow-up that is meaningless by itself is
 * read with the one before.
 */
export function composeReply(
  questions: readonly string[],
  search: Search,
  sections: readonly Section[],
): Reply {
  const question = questions.at(-1) ?? "";
  const words = foldWords(question);
  if (words.length === 0 || words.every((word) => greetings.has(word))) return greet(sections);
  if (words.every((word) => thanks.has(word)))
    return {
      text: `You’re welcome. Ask me anything else about Bottega.\n\n${whatIAm}`,
      sources: [],
    };
  const before = questions.at(-2);
  let found = search.answer(question);
  if (found.length === 0 && before && words.length <= 6)
    found = search.answer(`${before} ${question}`);
  return found.length > 0 ? answer(found) : admit(search.nearest(question), sections);
}

/** A second section is included if it fits nearly as well and the answer stays short. */
function answer([best, ...others]: SearchHit[]): Reply {
  const first = best!;
  const second = others.find(
    ({ score, section }) => score > first.score * 0.82 && section.title !== first.section.title,
  );
  const chosenSections = second ? [first.section, second.section] : [first.section];
  const more = others
    .filter(({ section, score }) => !chosenSections.includes(section) && score > first.score * 0.3)
    .slice(0, 3);
  const parts = chosenSections.map(
    (section) => `**${section.title}**\n\n${withoutLinks(section.text)}`,
  );
  if (more.length > 0)
    parts.push(`The manual also has: ${listTitles(more.map(({ section }) => section))}.`);
  return { text: [...parts, `*${whatIAm}*`].join("\n\n"), sources: chosenSections };
}

function admit(nearest: SearchHit[], sections: readonly Section[]): Reply {
  const near = nearest.slice(0, 3).map(({ section }) => section);
  const hint =
    near.length > 0
      ? `The closest pages: ${listTitles(near)}.`
      : `It has these pages: ${listPages(sections)}.`;
  const advice = "For other topics, choose a language model.";
  return {
    text: `The manual has no answer to that. ${hint}\n\n${whatIAm} ${advice}`,
    // Near matches aren't named as sources, because they don't answer the question.
    sources: [],
  };
}

function greet(sections: readonly Section[]): Reply {
  const text = `Hello. ${whatIAm} Ask me how something works here, for example:\n\n${exampleQuestions.map((example) => `- ${example}`).join("\n")}`;
  return { text: `${text}\n\nThe manual’s pages: ${listPages(sections)}.`, sources: [] };
}

/** Leaves out pages about a single service: “Services” lists those. */
const listPages = (sections: readonly Section[]): string => {
  const general = sections.filter(({ names }) => !names);
  return [...new Set(general.map(({ pageTitle }) => `“${pageTitle}”`))].join(", ");
};

const listTitles = (sections: readonly Section[]): string =>
  sections
    .map(({ title, pageTitle, document }) =>
      document.includes("#") && title !== pageTitle
        ? `“${title}” (${pageTitle})`
        : `“${pageTitle}”`,
    )
    .join(", ");

/** Removes links between pages of the manual, which lead nowhere in a conversation. */
const withoutLinks = (text: string): string =>
  text.replace(/\[([^\]]+)\]\((?!https?:)[^)]+\)/g, "“$1”");
