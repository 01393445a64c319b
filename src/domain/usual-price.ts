/** What one ordinary use takes of a unit: by this, models of different units can be compared. */
const usualAmounts: Readonly<Record<string, number>> = {
  // An answer: a page is read and half of one is written.
  "input token": 1_000,
  "output token": 500,
  image: 1,
  megapixel: 1,
  video: 1,
  run: 1,
  request: 1,
  generation: 1,
  // A short film or a sentence or two of speech.
  second: 5,
  "compute second": 5,
  minute: 1,
  character: 1_000,
  "1000 character": 1,
};
const mostNanos = 9e15;

/**
 * What a model's usual use costs, in billionths of a dollar: a number to put models in order by, and no estimate of anything.
 * @param prices micro-dollars for a unit, as decimals
 * @returns null where no price tells, or only in a unit that nobody knows the usual amount of
 */
export function usualNanos(prices: readonly { unit: string; micros: string }[]): number | null {
  const known = prices.flatMap(({ unit, micros }) => {
    const amount = usualAmounts[unit.toLowerCase()] ?? usualAmounts[unit.toLowerCase().replace(/s$/, "")];
    const nanos = Number(micros) * 1_000 * (amount ?? Number.NaN);
    return Number.isFinite(nanos) ? [nanos] : [];
  });
  if (known.length === 0) return prices.length > 0 && prices.every(({ micros }) => Number(micros) === 0) ? 0 : null;
  return Math.min(mostNanos, Math.ceil(known.reduce((sum, nanos) => sum + nanos, 0)));
}
