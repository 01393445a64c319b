import { type Measure, readUnit, units } from "#contract/units.ts";

/** The amount of each unit in typical use, which makes models with different units comparable. */
const usualAmounts: Readonly<Partial<Record<Measure, number>>> = {
  // An answer that reads a page and writes half of one.
  "input token": 1_000,
  "output token": 500,
  image: 1,
  megapixel: 1,
  video: 1,
  run: 1,
  // A short video or a few sentences of speech.
  second: 5,
  "compute second": 5,
  character: 1_000,
};
const maxNanos = 9e15;

/**
 * The cost of a model's typical use in billionths of a dollar: a sort key, not an estimate.
 * @param prices micro-dollars per unit, as decimals
 * @returns null without a price, or for units without a typical amount
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
  return Math.min(maxNanos, Math.ceil(known.reduce((sum, nanos) => sum + nanos, 0)));
}
