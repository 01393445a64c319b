import type { Win } from "./bradley-terry.ts";

/** A counted vote: the compared entries, by position among those rated, and the best of them. */
export type Ballot = {
  /**
   * By position of the entry; null if it no longer counts, for example because its file is in the
   * trash.
   */
  entries: readonly (number | null)[];
  best: readonly number[];
};

/**
 * Whether a vote still has an effect: one of the best still counts, and so does an entry that it
 * won or tied against.
 */
export const isCounted = ({ entries, best }: Ballot): boolean =>
  entries.filter((entry) => entry !== null).length > 1 &&
  best.some((position) => (entries[position] ?? null) !== null);

/**
 * Each best entry beats each other entry and ties with the other best ones; "none is good" has no
 * effect. Results of the same model aren't compared.
 */
export function winsOf(ballots: readonly Ballot[]): Win[] {
  const sums = new Map<string, Win>();
  const add = (winner: number, loser: number, count: number) => {
    const key = `${winner} ${loser}`;
    const known = sums.get(key);
    if (known) known.count += count;
    else sums.set(key, { winner, loser, count });
  };
  for (const { entries, best } of ballots)
    for (const position of best) {
      const winner = entries[position];
      if (winner === null || winner === undefined) continue;
      for (const [index, other] of entries.entries()) {
        if (other === null || other === winner || index === position) continue;
        if (!best.includes(index)) add(winner, other, 1);
        // The pair is visited from both sides: half a win for each.
        else add(winner, other, 0.5);
      }
    }
  return [...sums.values()];
}

/**
 * The order in which a person sees the entries. It differs between people, is always the same for
 * one person, and is recorded with the vote.
 * @param seed names the comparison and the person
 */
export function shuffledOrder(count: number, seed: string): number[] {
  const order = Array.from({ length: count }, (_, position) => position);
  const random = randomFrom(seed);
  for (let left = count - 1; left > 0; left -= 1) {
    const other = Math.floor(random() * (left + 1));
    [order[left], order[other]] = [order[other]!, order[left]!];
  }
  return order;
}

/** Mulberry32 over an FNV-1a hash of the seed: numbers from 0 to 1, the same for the same seed. */
function randomFrom(seed: string): () => number {
  let state = 0x811c9dc5;
  for (const letter of seed) state = Math.imul(state ^ (letter.codePointAt(0) ?? 0), 0x01000193);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
