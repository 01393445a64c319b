import type { Win } from "./bradley-terry.ts";

/** A vote that counts: what was compared, by place in the list of those rated, and which of the entries are best. */
export type Ballot = {
  /** By position of the entry; null: it counts no more, as after its file went to the trash. */
  entries: readonly (number | null)[];
  best: readonly number[];
};

/** Whether a vote still says something: a best result counts, and one that it was chosen over or ties with. */
export const isCounted = ({ entries, best }: Ballot): boolean =>
  entries.filter((entry) => entry !== null).length > 1 &&
  best.some((position) => (entries[position] ?? null) !== null);

/** Each best beats each other, and ties with the other best; "none is good" says nothing. Results of one model do not meet. */
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
      for (const [place, other] of entries.entries()) {
        if (other === null || other === winner || place === position) continue;
        if (!best.includes(place)) add(winner, other, 1);
        // Seen from both sides: half a win for each.
        else add(winner, other, 0.5);
      }
    }
  return [...sums.values()];
}

/**
 * The order in which a person is shown the entries: other for each person, always the same for one, and recorded with the vote.
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
