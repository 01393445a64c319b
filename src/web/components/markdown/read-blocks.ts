import { Lexer, type Links, Marked, type Token } from "marked";
import { mathsSyntax } from "#domain/markdown/maths-syntax.ts";

/**
 * One block of an answer. Its token stays the same object while its text is unchanged, so that a
 * memoized view isn't rerendered.
 */
export type MarkdownBlock = { start: number; token: Token };

export type MarkdownDocument = {
  text: string;
  blocks: readonly MarkdownBlock[];
  /** Where the last block begins, in characters; everything before it is final. */
  openFrom: number;
  links: Links;
  /** The link definitions before the last block. */
  closedLinks: Links;
};

export const emptyDocument: MarkdownDocument = {
  text: "",
  blocks: [],
  openFrom: 0,
  links: {},
  closedLinks: {},
};

const { defaults } = new Marked({ extensions: mathsSyntax, gfm: true });

function lex(text: string, start: number, links: Links): { blocks: MarkdownBlock[]; links: Links } {
  const lexer = new Lexer(defaults);
  Object.assign(lexer.tokens.links, links);
  const blocks: MarkdownBlock[] = [];
  let at = start;
  for (const token of lexer.lex(text.slice(start))) {
    if (token.type !== "space") blocks.push({ start: at, token });
    at += token.raw.length;
  }
  return { blocks, links: { ...lexer.tokens.links } };
}

/**
 * The links defined before the last block. The last block's own definitions may still grow
 * ("https://exa"), and the first definition of a name wins. Code defines no links, even if it
 * contains text that looks like a definition.
 */
function linksBefore(text: string, last: MarkdownBlock | undefined, links: Links): Links {
  if (!last?.token.raw.includes("]:") || last.token.type === "code") return links;
  const lexer = new Lexer(defaults);
  lexer.blockTokens(text.slice(0, last.start), lexer.tokens);
  return lexer.tokens.links;
}

const haveSameLinks = (before: Links, after: Links): boolean => {
  const names = Object.keys(after);
  return (
    names.length === Object.keys(before).length &&
    names.every((name) => before[name]?.href === after[name]?.href)
  );
};

/**
 * Reads a text that mostly grows at its end. Blocks before the last one are taken from `before`,
 * and the rest is lexed again. A link definition applies to the whole text, so a new one lexes
 * everything again. `isComplete` also lexes everything, so that the blocks match the finished text
 * exactly.
 */
export function readBlocks(
  before: MarkdownDocument,
  text: string,
  isComplete = false,
): MarkdownDocument {
  if (!isComplete && text === before.text) return before;
  const isGrown = !isComplete && text.startsWith(before.text.slice(0, before.openFrom));
  // The lexer counts each line break as one character.
  const source = text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
  const from = isGrown && source === text ? before.openFrom : 0;
  const kept = before.blocks.filter(({ start }) => start < from);
  let read = lex(source, from, from > 0 ? before.closedLinks : {});
  if (from > 0 && !haveSameLinks(before.links, read.links)) read = lex(source, 0, {});
  const first = read.blocks[0];
  const isWhole = from === 0 || (first !== undefined && first.start < from);
  const isSameLinks = haveSameLinks(before.links, read.links);
  const blocks = isWhole
    ? keepTokens(before.blocks, read.blocks, isSameLinks)
    : [...kept, ...read.blocks];
  const last = blocks.at(-1);
  return {
    text: source,
    blocks,
    openFrom: last?.start ?? 0,
    links: read.links,
    closedLinks: linksBefore(source, last, read.links),
  };
}

/** Keeps the previous block object if nothing changed. */
function keepTokens(
  before: readonly MarkdownBlock[],
  after: MarkdownBlock[],
  isSameLinks: boolean,
): MarkdownBlock[] {
  const old = new Map(before.map((block) => [block.start, block]));
  return after.map((block) => {
    const same = old.get(block.start);
    // With different link definitions, equal source may have different link targets.
    return same &&
      same.token.raw === block.token.raw &&
      (isSameLinks || !block.token.raw.includes("["))
      ? same
      : block;
  });
}
