import type { MessagePart } from "#contract/entities.ts";
import { foldWords } from "#domain/text/search-words.ts";

const snippetCharacters = 160;

/** The text around the first word that was searched for. */
export function snippetOf(parts: readonly MessagePart[], q: string): string {
  const text = parts
    .flatMap((part) => (part.type === "text" ? [part.text] : []))
    .join(" ")
    .replace(/\s+/g, " ");
  const word = foldWords(q)[0] ?? "";
  const at = Math.max(0, text.toLowerCase().indexOf(word));
  const start = Math.max(0, at - snippetCharacters / 3);
  return `${start > 0 ? "…" : ""}${text.slice(start, start + snippetCharacters)}${start + snippetCharacters < text.length ? "…" : ""}`;
}
