/**
 * Random choices that repeat for the same seed (mulberry32, Tommy Ettinger's public-domain
 * generator).
 */
export type Random = {
  /** From 0 to 1, 1 excluded. */
  share(): number;
  /** A whole number from `least` to `most`, both included. */
  whole(least: number, most: number): number;
  chance(share: number): boolean;
  pick<T>(from: readonly T[]): T;
};

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  function share(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  return {
    share,
    whole: (least, most) => least + Math.floor(share() * (most - least + 1)),
    chance: (wanted) => share() < wanted,
    pick: (from) => from[Math.floor(share() * from.length)]!,
  };
}
