import type { TokenizerAndRendererExtension, Tokens } from "marked";

/** A formula as the lexer hands it on. Only closed ones become tokens; an open one stays text until its end has come. */
export type MathsToken = Tokens.Generic & { type: "maths"; tex: string; isBlock: boolean };

const blockPattern = /^ {0,3}(?:\$\$([\s\S]+?)\$\$|\\\[([\s\S]+?)\\\])[ \t]*(?:\n|$)/;
const inlinePattern = /^(?:\$\$([^\n]+?)\$\$|\\\(([\s\S]+?)\\\)|\\\[([\s\S]+?)\\\])/;

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

/** $$...$$ and \[...\] as blocks, \(...\) in a line. A single dollar is money, not maths. */
export const mathsSyntax: TokenizerAndRendererExtension[] = [
  {
    name: "maths",
    level: "block",
    // Asked once a paragraph with all the rest of the text: a formula that begins after the paragraph's end is not its concern.
    start: (source) => firstParagraph(source).match(/(?:^|\n) {0,3}(?:\$\$|\\\[)/)?.index,
    tokenizer: (source) => toToken(blockPattern.exec(source), true),
  },
  {
    name: "mathsInline",
    level: "inline",
    start: (source) => source.match(/\$\$|\\\(|\\\[/)?.index,
    tokenizer: (source) => toToken(inlinePattern.exec(source), false),
  },
];
