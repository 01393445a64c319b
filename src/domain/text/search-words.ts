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

/** The search text stored with a row. The database's index is limited, so the first 20,000 words are found. */
export const searchText = (...texts: string[]): string =>
  foldWords(texts.join(" ")).slice(0, 20_000).join(" ");
