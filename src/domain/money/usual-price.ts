import { type Measure, readUnit, units } from "#contract/units.ts";

/** What one ordinary use takes of a unit: by this, models of different units can be compared. */
const usualAmounts: Readonly<Partial<Record<Measure, number>>> = {
  // An answer: a page is read and half of one is written.
  "input token": 1_000,
  "output token": 500,
  image: 1,
  megapixel: 1,
  video: 1,
  run: 1,
  // A short film or a sentence or two of speech.
  second: 5,
  "compute second": 5,
  character: 1_000,
};
const mostNanos = 9e15;

/**
 * What a model's usual use costs, in billionths of a dollar: a number to put models in order by, and no estimate of anything.
 * @param prices micro-dollars for a unit, as decimals
 * @returns null where no price tells, or only in a unit that nobody knows the usual amount of
 */
export function usualNanos(prices: readonly { unit: string; micros: string }[]): number | null {
  const known = prices.flatMap(({ unit, micros }) => {
    const known = readUnit(unit);
    const amount = known === null ? undefined : usualAmounts[units[known].of];
    const nanos =
      known === null
        ? Number.NaN
        : (Number(micros) * 1_000 * (amount ?? Number.NaN)) / units[known].per;
    return Number.isFinite(nanos) ? [nanos] : [];
  });
  if (known.length === 0)
    return prices.length > 0 && prices.every(({ micros }) => Number(micros) === 0) ? 0 : null;
  return Math.min(mostNanos, Math.ceil(known.reduce((sum, nanos) => sum + nanos, 0)));
}
