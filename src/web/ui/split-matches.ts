export type Piece = { at: number; text: string; isMatch: boolean };

const escaped = (word: string) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** Splits a text at a search's matches, to highlight them. Unlike in the search, accents matter. */
export function splitMatches(text: string, q: string): Piece[] {
  const words = q.split(/[^\p{L}\p{N}]+/u).filter(Boolean);
  if (words.length === 0) return [{ at: 0, text, isMatch: false }];
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(?:${words.map(escaped).join("|")})`, "giu");
  const pieces: Piece[] = [];
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    if (match.index > end)
      pieces.push({ at: end, text: text.slice(end, match.index), isMatch: false });
    pieces.push({ at: match.index, text: match[0], isMatch: true });
    end = match.index + match[0].length;
  }
  if (end < text.length) pieces.push({ at: end, text: text.slice(end), isMatch: false });
  return pieces;
}
