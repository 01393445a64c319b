import { setTimeout as sleep } from "node:timers/promises";
import { percentile } from "./figures.ts";
import type { Ask, Timing } from "./streams.ts";

export type Percentiles = { p50: number; p99: number };

export const firstTokenOf = (timings: readonly Timing[]): Percentiles => {
  const samples = timings.map((timing) => timing.firstMs);
  return { p50: percentile(samples, 0.5), p99: percentile(samples, 0.99) };
};

/** The additional time of one path over another, by percentile. */
export const added = (over: Percentiles, direct: Percentiles): Percentiles => ({
  p50: over.p50 - direct.p50,
  p99: over.p99 - direct.p99,
});

/**
 * Runs askers in parallel, each of which asks again when its answer has ended. Their starts are
 * spread evenly over one answer's duration, like people's. The first round warms up and isn't
 * counted.
 * @param options.streamMs an answer's duration, for the spread
 */
export async function askSteadily(
  asks: readonly Ask[],
  options: { rounds: number; streamMs: number },
): Promise<Timing[]> {
  const timings = await Promise.all(
    asks.map(async (ask, i) => {
      await sleep((i / asks.length) * options.streamMs);
      await ask();
      const own: Timing[] = [];
      for (let round = 0; round < options.rounds; round++) own.push(await ask());
      return own;
    }),
  );
  return timings.flat();
}

const warmUpMs = 3_000;

/**
 * Runs askers in parallel for a time, each of which asks again immediately, and counts finished
 * answers per second. The first three seconds warm up and aren't counted.
 */
export async function askForAWhile(
  asks: readonly Ask[],
  forMs: number,
): Promise<{ perSecond: number; count: number; characters: number[] }> {
  const since = performance.now() + warmUpMs;
  const characters: number[] = [];
  let count = 0;
  await Promise.all(
    asks.map(async (ask) => {
      while (performance.now() < since + forMs) {
        const timing = await ask();
        const now = performance.now();
        count++;
        if (now >= since && now < since + forMs) characters.push(timing.characters);
      }
    }),
  );
  return { perSecond: characters.length / (forMs / 1000), count, characters };
}
