/** A stream of numbers that depends only on its name: the same on every machine. */
export type Random = {
  /** At least 0, below 1. */
  next(): number;
  between(least: number, most: number): number;
  /** An integer, both ends included. */
  whole(least: number, most: number): number;
  chance(probability: number): boolean;
  pick<T>(choices: readonly T[]): T;
  shuffle<T>(choices: readonly T[]): T[];
  /**
   * Creates a separate stream, so that a change in one part of a picture moves nothing in another.
   */
  fork(name: string): Random;
};

/**
 * Hashes a text to 32 bits (FNV-1a over UTF-16 units with a final mix), for seeds and never for
 * secrets.
 */
export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return mix(hash);
}

const mix = (value: number): number => {
  let hash = value | 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
};

/** sfc32 of PractRand: 128 bits of state, integer arithmetic only. */
export function createRandom(name: string): Random {
  let a = hashText(name);
  let b = mix(a + 0x9e3779b9);
  let c = mix(b + 0x9e3779b9);
  let counter = 1;
  const next = () => {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    return (sum >>> 0) / 0x1_0000_0000;
  };
  for (let round = 0; round < 12; round++) next();
  const whole = (least: number, most: number) => least + Math.floor(next() * (most - least + 1));
  return {
    next,
    whole,
    between: (least, most) => least + next() * (most - least),
    chance: (probability) => next() < probability,
    pick: (choices) => choices[Math.floor(next() * choices.length)]!,
    shuffle(choices) {
      const shuffled = [...choices];
      for (let index = shuffled.length - 1; index > 0; index--) {
        const other = whole(0, index);
        [shuffled[index], shuffled[other]] = [shuffled[other]!, shuffled[index]!];
      }
      return shuffled;
    },
    fork: (part) => createRandom(`${name}/${part}`),
  };
}
