/**
 * Words for searching, folded the same way when stored and when asked, so that both databases find the same:
 * NFKD, marks off, lower case, letters and digits only.
 */
export const foldWords = (text: string): string[] =>
  text
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];

/** Whether each of the words asked for begins a word of the text. Nothing has no words at all. */
export function hasEveryWord(text: string, asked: string): boolean {
  const words = foldWords(asked);
  const there = foldWords(text);
  return words.length > 0 && words.every((word) => there.some((one) => one.startsWith(word)));
}

/** The search text stored with a row. The database's index is limited, so the first 20,000 words are found. */
export const searchText = (...texts: string[]): string =>
  foldWords(texts.join(" ")).slice(0, 20_000).join(" ");

/** The same of a message: what was said in it. */
export const wordsOfMessage = (parts: readonly { type: string; text?: string }[]): string =>
  searchText(...parts.map((part) => (part.type === "text" ? (part.text ?? "") : "")));
