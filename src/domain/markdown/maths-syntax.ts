import type { TokenizerAndRendererExtension, Tokens } from "marked";

/**
 * A formula from the lexer. Only closed formulas become tokens; an open one stays text until its
 * end arrives.
 */
export type MathsToken = Tokens.Generic & { type: "maths"; tex: string; isBlock: boolean };

const blockPattern = /^ {0,3}(?:\$\$([\s\S]+?)\$\$|\\\[([\s\S]+?)\\\])[ \t]*(?:\n|$)/;
const inlinePattern = /^(?:\$\$([^\n]+?)\$\$|\\\(([\s\S]+?)\\\)|\\\[([\s\S]+?)\\\])/;

/** One dollar on each side, in one line. Text in code is not math. */
const dollarPattern = /^\$((?:\\[^\n]|[^$\\\n`])+)\$(?![\w$])/;
/** "$5 a month, 10$": an amount followed by words. */
const amount = /^[\d.,]+ *(?:[a-z] )*[a-z]{2}/i;

/**
 * $x$ by the usual convention: no space inside either dollar, no digit or letter after it.
 * Everything else is money.
 */
function dollarToken(source: string): MathsToken | undefined {
  const match = dollarPattern.exec(source);
  const tex = match?.[1] ?? "";
  return tex !== tex.trim() || amount.test(tex) ? undefined : toToken(match, false);
}

/** Where a formula can start. A dollar after a letter, a digit or a backslash doesn't start one. */
function startOfInline(source: string): number | undefined {
  const match = /\$\$|\\\(|\\\[|(^|[^\w$\\])\$(?=[^\s$])/.exec(source);
  return match ? match.index + (match[1]?.length ?? 0) : undefined;
}

function toToken(match: RegExpExecArray | null, isBlock: boolean): MathsToken | undefined {
  const tex = match?.slice(1).find((part) => part !== undefined);
  return match && tex !== undefined
    ? { type: "maths", raw: match[0], tex: tex.trim(), isBlock }
    : undefined;
}

function firstParagraph(source: string): string {
  const end = source.search(/\n[ \t]*\n/);
  return end < 0 ? source : source.slice(0, end);
}

/** $$...$$ and \[...\] as blocks, \(...\) and $...$ inline. */
export const mathsSyntax: TokenizerAndRendererExtension[] = [
  {
    name: "maths",
    level: "block",
    // Called once per paragraph with the rest of the text, so later paragraphs are ignored.
    start: (source) => firstParagraph(source).match(/(?:^|\n) {0,3}(?:\$\$|\\\[)/)?.index,
    tokenizer: (source) => toToken(blockPattern.exec(source), true),
  },
  {
    name: "mathsInline",
    level: "inline",
    start: startOfInline,
    tokenizer: (source) => toToken(inlinePattern.exec(source), false) ?? dollarToken(source),
  },
];
