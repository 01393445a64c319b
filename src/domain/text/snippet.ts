import type { MessagePart } from "#contract/entities.ts";
import { foldWords } from "./search-words.ts";

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
  const word = foldWords(q)[0] ?? "";
  const at = Math.max(0, text.toLowerCase().indexOf(word));
  const start = Math.max(0, at - snippetCharacters / 3);
  return `${start > 0 ? "…" : ""}${text.slice(start, start + snippetCharacters)}${start + snippetCharacters < text.length ? "…" : ""}`;
}
