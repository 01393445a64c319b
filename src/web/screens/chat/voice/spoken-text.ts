import { decodeHTMLStrict } from "entities/decode";
import type { MarkedToken, Token, Tokens } from "marked";
import { emptyDocument, readBlocks } from "../../../components/markdown/read-blocks.ts";

/** Texts read aloud in place of code and formulas. */
export type Placeholders = { code: string; maths: string };

/**
 * Markdown as plain text for speech, with placeholders for code and formulas. A blank line
 * separates paragraphs.
 */
export function spokenText(markdown: string, placeholders: Placeholders): string {
  const { blocks } = readBlocks(emptyDocument, markdown, true);
  const spoken = blocks
    .flatMap(({ token }) => blockText(token, placeholders))
    .map((line) => line.replace(/[ \t]+/g, " ").trim());
  // Consecutive code blocks share one placeholder.
  return spoken
    .filter(
      (line, index) => line !== "" && !(line === placeholders.code && spoken[index - 1] === line),
    )
    .join("\n\n");
}

function blockText(generic: Token, placeholders: Placeholders): string[] {
  if (generic.type === "maths") return [placeholders.maths];
  const token = generic as MarkedToken;
  switch (token.type) {
    case "code":
      return [placeholders.code];
    case "heading":
      return [endSentence(inlineText(token.tokens, placeholders))];
    case "paragraph":
      return [inlineText(token.tokens, placeholders)];
    case "text":
      return [token.tokens ? inlineText(token.tokens, placeholders) : decodeHTMLStrict(token.text)];
    case "blockquote":
      return token.tokens.flatMap((inner) => blockText(inner, placeholders));
    case "list":
      return token.items.flatMap((item, index) => itemText(item, token, index, placeholders));
    case "table":
      return [token.header, ...token.rows].map((row) =>
        endSentence(row.map(({ tokens }) => inlineText(tokens, placeholders)).join(", ")),
      );
    default:
      // Rules, link definitions and HTML aren't read aloud.
      return [];
  }
}

function itemText(
  item: Tokens.ListItem,
  list: Tokens.List,
  place: number,
  placeholders: Placeholders,
): string[] {
  const [first = "", ...more] = item.tokens.flatMap((inner) => blockText(inner, placeholders));
  const number = list.ordered ? `${Number(list.start || 1) + place}. ` : "";
  return [endSentence(`${number}${first}`), ...more];
}

function inlineText(tokens: readonly Token[], placeholders: Placeholders): string {
  return tokens.map((token) => tokenText(token, placeholders)).join("");
}

function tokenText(generic: Token, placeholders: Placeholders): string {
  if (generic.type === "maths") return placeholders.maths;
  const token = generic as MarkedToken;
  switch (token.type) {
    case "strong":
    case "em":
    case "del":
      return inlineText(token.tokens, placeholders);
    case "link": {
      const text = inlineText(token.tokens, placeholders);
      // Only an address's host is read aloud.
      return text === token.href || text === token.href.replace(/^mailto:/, "")
        ? hostOf(token.href)
        : text;
    }
    case "text":
      return token.tokens ? inlineText(token.tokens, placeholders) : decodeHTMLStrict(token.text);
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

/** A voice pauses at the end of a sentence, not of a line. */
const endSentence = (text: string): string =>
  /[\p{L}\p{N})\]"'”’]$/u.test(text.trim()) ? `${text.trim()}.` : text.trim();
