/**
 * Splits a text into parts of at most `mostCharacters` UTF-16 units: between paragraphs, else
 * between sentences, else between words, else between code points. Only the white space at the cuts
 * is dropped.
 */
export function splitText(text: string, maxCharacters: number): string[] {
  const parts: string[] = [];
  let part = "";
  for (const [piece, gap] of pieces(text, maxCharacters)) {
    const joined = part === "" ? piece : `${part}${gap}${piece}`;
    if (joined.length <= maxCharacters) part = joined;
    else {
      if (part) parts.push(part);
      part = piece;
    }
  }
  return part ? [...parts, part] : parts;
}

type Piece = readonly [text: string, gapBefore: string];

/** Whole paragraphs, or the smaller pieces of a paragraph that is too long. */
function pieces(text: string, most: number): Piece[] {
  const paragraphs = text
    .split(/\n{2,}/)
    .map((paragraph) => paragraph.trim())
    .filter(Boolean);
  return paragraphs.flatMap((paragraph): Piece[] => {
    if (paragraph.length <= most) return [[paragraph, "\n\n"]];
    return sentencesOf(paragraph).flatMap((sentence, index): Piece[] => {
      const gap = index === 0 ? "\n\n" : " ";
      if (sentence.length <= most) return [[sentence, gap]];
      const words = sentence.split(/\s+/).flatMap((word) => chunksOf(word, most));
      return words.map((word, at) => [word, at === 0 ? gap : " "] as const);
    });
  });
}

function sentencesOf(text: string): string[] {
  const segmenter = new Intl.Segmenter(undefined, { granularity: "sentence" });
  return [...segmenter.segment(text)].map(({ segment }) => segment.trim()).filter(Boolean);
}

/** Splits a word that is longer than a part. */
function chunksOf(word: string, most: number): string[] {
  if (word.length <= most) return [word];
  const chunks: string[] = [];
  let chunk = "";
  for (const character of word) {
    if (chunk.length + character.length > most) {
      chunks.push(chunk);
      chunk = "";
    }
    chunk += character;
  }
  return [...chunks, chunk];
}
