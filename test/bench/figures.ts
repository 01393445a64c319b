/**
 * One measured value with its bound. `holds` is null without a bound, or if nothing was measured.
 */
export type Figure = {
  what: string;
  value: string;
  bound: string;
  holds: boolean | null;
  note?: string;
};

/** A row of the table: a name for `--only`, and its measurement. */
export type Row<Bench> = { name: string; what: string; measure(bench: Bench): Promise<Figure[]> };

/**
 * The value below which `share` (0 to 1) of the samples lie, by nearest rank.
 * @throws RangeError without samples
 */
export function percentile(samples: readonly number[], share: number): number {
  if (samples.length === 0) throw new RangeError("no samples");
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))]!;
}

export const round = (value: number): string =>
  Math.abs(value) >= 100 ? value.toFixed(0) : value.toFixed(1);

/** A value with an upper bound. */
export function atMost(
  what: string,
  value: number,
  bound: number,
  unit: string,
  note?: string,
): Figure {
  return {
    what,
    value: `${round(value)} ${unit}`,
    bound: `≤ ${round(bound)} ${unit}`,
    holds: value <= bound,
    ...(note && { note }),
  };
}

/** A value with a lower bound. */
export function atLeast(
  what: string,
  value: number,
  bound: number,
  unit: string,
  note?: string,
): Figure {
  return {
    what,
    value: `${round(value)} ${unit}`,
    bound: `≥ ${round(bound)} ${unit}`,
    holds: value >= bound,
    ...(note && { note }),
  };
}

/** The median and the 99th percentile, each with its own bound. */
export function p50p99(
  what: string,
  value: { p50: number; p99: number },
  bound: { p50: number; p99: number },
  unit: string,
  note?: string,
): Figure {
  return {
    what,
    value: `${round(value.p50)} / ${round(value.p99)} ${unit}`,
    bound: `≤ ${round(bound.p50)} / ${round(bound.p99)} ${unit}`,
    holds: value.p50 <= bound.p50 && value.p99 <= bound.p99,
    ...(note && { note }),
  };
}

/** A value for context, without a bound. */
export const beside = (what: string, value: string, note?: string): Figure => ({
  what,
  value,
  bound: "",
  holds: null,
  ...(note && { note }),
});

/** A value that couldn't be measured, with the reason; a number is never invented. */
export const notMeasured = (what: string, bound: string, why: string): Figure => ({
  what,
  value: `not measured: ${why}`,
  bound,
  holds: null,
});

/**
 * The machine's contention: the share of time in which the server had work but no core. With other
 * programs running, a figure in ms depends on them as much as on the server.
 */
export function contention(
  from: { ranMs: number; waitedMs: number },
  to: { ranMs: number; waitedMs: number },
): Figure {
  const [ran, waited] = [to.ranMs - from.ranMs, to.waitedMs - from.waitedMs];
  const what = "  of the time it had work, the server waited for its core";
  return Number.isNaN(ran)
    ? notMeasured(what, "", "this system does not tell it")
    : beside(what, `${Math.round((100 * waited) / (ran + waited))} %`);
}

export const ratio = (what: string, small: number, large: number, most: number): Figure =>
  Number.isNaN(large / small)
    ? notMeasured(what, "", "this system does not tell it")
    : {
        what,
        value: `${round(large / small)} (${round(small)}, ${round(large)} ms)`,
        bound: `≤ ${most}`,
        holds: large / small <= most,
      };
