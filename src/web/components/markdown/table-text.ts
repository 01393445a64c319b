import { decodeHTMLStrict } from "entities/decode";
import type { MarkedToken, Token, Tokens } from "marked";
import { withoutFormula } from "#domain/text/csv-cell.ts";

/** A table's cells as plain text, header row first. */
export const cellsOfTable = ({ header, rows }: Tokens.Table): string[][] =>
  [header, ...rows].map((row) => row.map(({ tokens }) => plainText(tokens).trim()));

/**
 * Tab-separated text for pasting into a spreadsheet; tabs and line breaks within cells are
 * replaced.
 */
export const toTabs = (rows: readonly (readonly string[])[]): string =>
  rows
    .map((row) => row.map((cell) => withoutFormula(cell.replace(/\s+/g, " "))).join("\t"))
    .join("\n");

/** CSV (RFC 4180). The byte order mark tells Excel that it is UTF-8. */
export const toCsv = (rows: readonly (readonly string[])[]): string =>
  `\uFEFF${rows.map((row) => `${row.map(toField).join(",")}\r\n`).join("")}`;

function toField(cell: string): string {
  const safe = withoutFormula(cell);
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const plainText = (tokens: readonly Token[]): string => tokens.map(textOfToken).join("");

function textOfToken(generic: Token): string {
  const token = generic as MarkedToken;
  switch (token.type) {
    case "strong":
    case "em":
    case "del":
    case "link":
      return plainText(token.tokens);
    case "text":
      return token.tokens ? plainText(token.tokens) : decodeHTMLStrict(token.text);
    case "escape":
    case "codespan":
    case "image":
      return token.text;
    case "br":
      return "\n";
    case "html":
      return /^<br\s*\/?>$/i.test(token.raw) ? "\n" : token.raw;
    default:
      // A formula keeps its source.
      return token.raw;
  }
}
