/**
 * Text of an answer, published as it streams and before it is written to the run's log. A
 * `text-delta` or `reasoning-delta` in the log repeats it with the same `offset`, so that a reader
 * of both shows it once.
 */
export type LiveText = {
  type: "text-delta" | "reasoning-delta";
  /**
   * The attempt as counted by `run-started`, so that readers can ignore late text of an earlier
   * one.
   */
  attempt: number;
  /** How many characters (UTF-16) this attempt's earlier deltas of the type have. */
  offset: number;
  text: string;
  /** As in its delta. */
  reasonedMs?: number;
  afterCall?: true;
};

/**
 * Arguments of a tool call, published as the model writes them, for the programs that wait for the
 * answer. No event of the log repeats them: the run's result has the whole call.
 */
export type LiveArguments = {
  type: "arguments-delta";
  attempt: number;
  /** The call's index among the calls of the answer. */
  call: number;
  name: string;
  /** How many characters (UTF-16) of this call's arguments come before. */
  offset: number;
  text: string;
};

/**
 * @param has how many characters of the attempt the reader has
 * @returns the part of a delta that is new to the reader; undefined if text before it is missing. A
 *   delta of an older log has no offset and is appended.
 */
export function newText(
  { text, offset }: { text: string; offset?: number },
  has: number,
): string | undefined {
  if (offset === undefined) return text;
  return offset > has ? undefined : text.slice(has - offset);
}

/** Splits text into pieces of limited length without splitting a surrogate pair. */
function cutText(
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

/** Splits a piece of an answer, like `cutText`. The first piece of a call may have no text. */
export const cutPiece = <Piece extends { text: string; offset: number }>(
  piece: Piece,
  most: number,
): Piece[] =>
  piece.text === "" ? [piece] : cutText(piece, most).map((cut) => ({ ...piece, ...cut }));

/** Whether a call's arguments are complete: the next call isn't published before that. */
export function isWholeCall(text: string): boolean {
  try {
    return typeof JSON.parse(text) === "object";
  } catch {
    return false;
  }
}
