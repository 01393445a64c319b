/**
 * Words for searching, folded in the same way when stored and when searched, so that both databases
 * find the same: NFKD, without marks, lower case, letters and digits only.
 */
export const foldWords = (text: string): string[] =>
  text
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];

/** Whether each searched word is a prefix of a word in the text. False without any words. */
export function hasEveryWord(text: string, asked: string): boolean {
  const words = foldWords(asked);
  const there = foldWords(text);
  return words.length > 0 && words.every((word) => there.some((one) => one.startsWith(word)));
}

/**
 * The search text stored with a row, limited to the first 20,000 words because the database's index
 * is.
 */
export const searchText = (...texts: string[]): string =>
  foldWords(texts.join(" ")).slice(0, 20_000).join(" ");

/** The search text of a message. */
export const wordsOfMessage = (parts: readonly { type: string; text?: string }[]): string =>
  searchText(...parts.map((part) => (part.type === "text" ? (part.text ?? "") : "")));

/** Folds letter by letter, so that a match maps back to its letters. */
export function foldLetters(text: string): { letter: string; offset: number }[] {
  const letters: { letter: string; offset: number }[] = [];
  let offset = 0;
  for (const character of text) {
    const folded = character.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
    for (const letter of folded) letters.push({ letter, offset });
    offset += character.length;
  }
  return letters;
}
