import { Lexer, type Links, Marked, type Token } from "marked";
import { mathsSyntax } from "#domain/markdown/maths-syntax.ts";

/** One block of an answer. Its token is the same object as long as its text is, so that a memoised view of it is not drawn again. */
export type MarkdownBlock = { start: number; token: Token };

export type MarkdownDocument = {
  text: string;
  blocks: readonly MarkdownBlock[];
  /** Where the last block begins, in characters: all before it can't change any more. */
  openFrom: number;
  links: Links;
  /** Those defined before the last block. */
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
 * The last block's own definitions may still grow ("https://exa"), and the first one of a name is the one that holds. Code
 * defines nothing, however much in it looks like it.
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
 * Reads a text that mostly grows at its end: what is before the last block is taken over from `before`, the rest is lexed
 * again. A link definition anywhere holds everywhere, so a new one means reading the whole once more. `isComplete` reads the
 * whole too: then the blocks are exactly those of the finished text.
 */
export function readBlocks(
  before: MarkdownDocument,
  text: string,
  isComplete = false,
): MarkdownDocument {
  if (!isComplete && text === before.text) return before;
  const isGrown = !isComplete && text.startsWith(before.text.slice(0, before.openFrom));
  // The lexer counts line breaks as one character.
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

/** Where nothing changed, the old block stays. */
function keepTokens(
  before: readonly MarkdownBlock[],
  after: MarkdownBlock[],
  isSameLinks: boolean,
): MarkdownBlock[] {
  const old = new Map(before.map((block) => [block.start, block]));
  return after.map((block) => {
    const same = old.get(block.start);
    // With other link definitions equal source may still differ in where its reference links lead.
    return same &&
      same.token.raw === block.token.raw &&
      (isSameLinks || !block.token.raw.includes("["))
      ? same
      : block;
  });
}
