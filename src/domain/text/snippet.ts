import type { MessagePart } from "#contract/entities.ts";
import { foldLetters, foldWords } from "./search-words.ts";

const snippetCharacters = 160;

/** Strips Markdown down to the text that people read. */
const toWords = (markdown: string): string =>
  markdown
    .replace(/^ {0,3}(?:#{1,6}|>|[-*+]|\d{1,9}[.)])\s+/gm, "")
    .replace(/^ {0,3}(?:`{3,}|~{3,}).*$/gm, "")
    .replace(/!?\[([^\]\n]{0,500})\]\([^)\n]{0,2000}\)/g, "$1")
    .replace(/\*\*|__|~~|`/g, "")
    .replace(/(^|\s)\*(\S[^*\n]{0,500})\*/g, "$1$2")
    .replace(/\s+/g, " ");

/** The text around the first searched word. */
export function snippetOf(parts: readonly MessagePart[], q: string): string {
  const text = toWords(
    parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n"),
  ).trim();
  const start = Math.max(0, placeOf(text, foldWords(q)[0] ?? "") - snippetCharacters / 3);
  const end = start + snippetCharacters;
  const shown = text.slice(start, end).replace(halfCharacters, "");
  return `${start > 0 ? "…" : ""}${shown}${end < text.length ? "…" : ""}`;
}

/** The halves of characters beyond the basic plane, such as emoji, at a cut. */
const halfCharacters = /^[\udc00-\udfff]|[\ud800-\udbff]$/g;

/** The index of a folded word; 0 if it isn't there. */
function placeOf(text: string, word: string): number {
  const asWritten = text.toLowerCase().indexOf(word);
  if (asWritten >= 0) return asWritten;
  // With accents: letters are folded one by one, so that they can be counted.
  const letters = foldLetters(text);
  const place = letters.map(({ letter }) => letter).join("");
  return letters[place.indexOf(word)]?.offset ?? 0;
}
