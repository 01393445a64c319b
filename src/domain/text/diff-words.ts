/** A piece of two texts: in both, only in the first, or only in the second. */
export type DiffPiece = { text: string; in: "both" | "first" | "second" };

/** Longer texts aren't compared, because the table has a cell for each pair of words. */
const maxWords = 2_000;

/**
 * The words that differ between two texts, by their longest common subsequence; null if they are
 * too long.
 */
export function diffWords(first: string, second: string): DiffPiece[] | null {
  const [a, b] = [split(first), split(second)];
  if (a.length > maxWords || b.length > maxWords) return null;
  const width = b.length + 1;
  // The length of the longest common subsequence after each pair of positions.
  const common = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1)
      common[i * width + j] =
        a[i] === b[j]
          ? common[(i + 1) * width + j + 1]! + 1
          : Math.max(common[(i + 1) * width + j]!, common[i * width + j + 1]!);
  const pieces: DiffPiece[] = [];
  const add = (text: string, where: DiffPiece["in"]) => {
    const last = pieces.at(-1);
    if (last?.in === where) last.text += text;
    else pieces.push({ text, in: where });
  };
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      add(a[i]!, "both");
      i += 1;
      j += 1;
    } else if (
      j >= b.length ||
      (i < a.length && common[(i + 1) * width + j]! >= common[i * width + j + 1]!)
    ) {
      add(a[i]!, "first");
      i += 1;
    } else {
      add(b[j]!, "second");
      j += 1;
    }
  }
  return pieces;
}

/** Words with their trailing spaces, so that the pieces add up to the text. */
const split = (text: string): string[] => text.match(/\s+|\S+\s*/gu) ?? [];
