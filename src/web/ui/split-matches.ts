import { foldLetters, foldWords } from "#domain/text/search-words.ts";

export type Piece = { at: number; text: string; isMatch: boolean };

/** Splits a text at a search's matches, to highlight them. Folds letters like the search. */
export function splitMatches(text: string, q: string): Piece[] {
  const words = foldWords(q);
  let folded = "";
  /** The place in the text of each letter of `folded`. */
  const places: number[] = [];
  for (const { letter, offset } of foldLetters(text)) {
    folded += letter;
    // A letter outside the basic plane takes two UTF-16 units.
    for (let unit = 0; unit < letter.length; unit++) places.push(offset);
  }
  const pieces: Piece[] = [];
  let end = 0;
  const add = (to: number, isMatch: boolean) => {
    if (to > end) pieces.push({ at: end, text: text.slice(end, to), isMatch });
    end = Math.max(end, to);
  };
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(?:${words.join("|")})`, "gu");
  for (const { index, 0: match } of words.length > 0 ? folded.matchAll(pattern) : []) {
    const last = index + match.length - 1;
    add(places[index] ?? 0, false);
    // Includes the marks that folding removed after the last letter.
    add(places.find((place) => place > places[last]!) ?? text.length, true);
  }
  add(text.length, false);
  return pieces;
}
