import { decodeHTMLStrict } from "entities/decode";
import type { MarkedToken, Token, Tokens } from "marked";
import { emptyDocument, readBlocks } from "../../../components/markdown/read-blocks.ts";

/** What is said in the place of what can't be read aloud. */
export type SpokenWords = { code: string; maths: string };

/** Markdown as one would read it aloud: its words without its marks, a word in the place of code and formulas. Paragraphs are apart by a blank line. */
export function plainWords(markdown: string, words: SpokenWords): string {
  const { blocks } = readBlocks(emptyDocument, markdown, true);
  const spoken = blocks
    .flatMap(({ token }) => blockWords(token, words))
    .map((line) => line.replace(/[ \t]+/g, " ").trim());
  // Two listings in a row are told of once.
  return spoken
    .filter((line, place) => line !== "" && !(line === words.code && spoken[place - 1] === line))
    .join("\n\n");
}

function blockWords(generic: Token, words: SpokenWords): string[] {
  if (generic.type === "maths") return [words.maths];
  const token = generic as MarkedToken;
  switch (token.type) {
    case "code":
      return [words.code];
    case "heading":
      return [endSentence(inlineWords(token.tokens, words))];
    case "paragraph":
      return [inlineWords(token.tokens, words)];
    case "text":
      return [token.tokens ? inlineWords(token.tokens, words) : decodeHTMLStrict(token.text)];
    case "blockquote":
      return token.tokens.flatMap((inner) => blockWords(inner, words));
    case "list":
      return token.items.flatMap((item, place) => itemWords(item, token, place, words));
    case "table":
      return [token.header, ...token.rows].map((row) =>
        endSentence(row.map(({ tokens }) => inlineWords(tokens, words)).join(", ")),
      );
    default:
      // Rules, definitions of links and HTML are nothing to hear.
      return [];
  }
}

function itemWords(
  item: Tokens.ListItem,
  list: Tokens.List,
  place: number,
  words: SpokenWords,
): string[] {
  const [first = "", ...more] = item.tokens.flatMap((inner) => blockWords(inner, words));
  const number = list.ordered ? `${Number(list.start || 1) + place}. ` : "";
  return [endSentence(`${number}${first}`), ...more];
}

function inlineWords(tokens: readonly Token[], words: SpokenWords): string {
  return tokens.map((token) => inlineWord(token, words)).join("");
}

function inlineWord(generic: Token, words: SpokenWords): string {
  if (generic.type === "maths") return words.maths;
  const token = generic as MarkedToken;
  switch (token.type) {
    case "strong":
    case "em":
    case "del":
      return inlineWords(token.tokens, words);
    case "link": {
      const said = inlineWords(token.tokens, words);
      // An address is read as the name of its host: nobody listens to the rest.
      return said === token.href || said === token.href.replace(/^mailto:/, "")
        ? hostOf(token.href)
        : said;
    }
    case "text":
      return token.tokens ? inlineWords(token.tokens, words) : decodeHTMLStrict(token.text);
    case "image":
    case "escape":
    case "codespan":
      return token.text;
    case "br":
      return "\n";
    default:
      return "";
  }
}

const hostOf = (href: string): string =>
  (URL.canParse(href) && new URL(href).hostname) || href.replace(/^mailto:/, "");

/** A voice pauses at the end of a sentence, not at that of a line. */
const endSentence = (text: string): string =>
  /[\p{L}\p{N})\]"'”’]$/u.test(text.trim()) ? `${text.trim()}.` : text.trim();
