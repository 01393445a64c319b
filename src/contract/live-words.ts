/**
 * Words of an answer, told as they come and before they are written to the run's log. A `text-delta` or `reasoning-delta` of the log repeats
 * them with the same `offset`, so that a reader who has both shows each word once.
 */
export type LiveWords = {
  type: "text-delta" | "reasoning-delta";
  /** Which attempt says it, as `run-started` counts them: a reader leaves out what an earlier one still says. */
  attempt: number;
  /** How many characters (UTF-16) the attempt said in deltas of this type before. */
  offset: number;
  text: string;
  /** How long the attempt has reasoned up to here, as its delta says it. */
  reasonedMs?: number;
};

/**
 * @param has how many characters of the attempt the reader has
 * @returns what of a delta is new to the reader; undefined where words are missing before it. A delta of an older log has no offset
 *   and follows on what is there.
 */
export function newWords(
  { text, offset }: { text: string; offset?: number },
  has: number,
): string | undefined {
  if (offset === undefined) return text;
  return offset > has ? undefined : text.slice(has - offset);
}

/** Words in pieces of at most so many characters: none ends with a high surrogate that would lose its other half. */
export function cutWords(
  { text, offset }: { text: string; offset: number },
  most: number,
): { text: string; offset: number }[] {
  const pieces: { text: string; offset: number }[] = [];
  for (let from = 0; from < text.length; ) {
    let to = Math.min(from + most, text.length);
    if (to < text.length && /[\uD800-\uDBFF]/.test(text[to - 1]!)) to--;
    pieces.push({ text: text.slice(from, to), offset: offset + from });
    from = to;
  }
  return pieces;
}
