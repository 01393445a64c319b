import type { Model } from "#contract/entities.ts";
import { limits } from "#contract/limits.ts";
import { type Measure, readUnit, units } from "#contract/units.ts";
import { isFree } from "./free.ts";
import { sumToMicros } from "./money.ts";
import type { Usage } from "./prices.ts";

type Price = Model["prices"][number];

/** The usage of a live session so far, in every unit that providers bill by. */
export type SessionUse = { seconds: number; answers: number; images: number; megapixels: number };
export const nothingUsed: SessionUse = { seconds: 0, answers: 0, images: 0, megapixels: 0 };

/** The unit that a session's price counts: `micros` (decimal text) for each `per` of it. */
export type Meter = { of: keyof SessionUse; per: number; micros: string };

/**
 * Maps a price's measure to a session's usage. Compute seconds are billed while the model works, so
 * there are never more than seconds of the session.
 */
const metered: Partial<Record<Measure, keyof SessionUse>> = {
  second: "seconds",
  "compute second": "seconds",
  image: "images",
  run: "answers",
  megapixel: "megapixels",
};

/** @returns null if the prices don't determine a session's cost */
export function meterOf(prices: readonly Price[]): Meter | "free" | null {
  if (isFree(prices)) return "free";
  const [price, ...others] = prices;
  if (!price || others.length > 0) return null;
  const unit = readUnit(price.unit);
  const of = unit && metered[units[unit].of];
  return of && Number.isFinite(Number(price.micros))
    ? { of, per: units[unit].per, micros: price.micros }
    : null;
}

/** Six decimals exceed the precision of any clock or picture. */
const toDecimal = (value: number): string => (Math.ceil(value * 1e6) / 1e6).toFixed(6);

/** A cost beyond that of any call is treated as exceeding every budget. */
const beyondAnyBudget = 1e12;

/** In micro-dollars, rounded up once. */
export function costOfUse(meter: Meter | "free", use: SessionUse): number {
  if (meter === "free") return 0;
  return (
    sumToMicros([{ units: toDecimal(use[meter.of]), micros: meter.micros, per: meter.per }]) ??
    beyondAnyBudget
  );
}

/** A partial megapixel of a frame counts as a whole one, as in a run's pictures. */
export const billedMegapixels = (width: number, height: number): number =>
  Math.ceil((width * height) / 1e6);

/**
 * The frame size of current realtime models, rounded up. A model with larger frames reserves by
 * their actual size.
 */
export const megapixelsOfFrame = 2;

/**
 * The most that a session can use during the time, or the number of answers, of one reservation.
 */
export function windowOf(meter: Meter | "free", largestMegapixels = megapixelsOfFrame): SessionUse {
  if (meter === "free") return nothingUsed;
  const answers = limits.sessionHoldAnswers;
  return {
    seconds: limits.sessionHoldMs / 1_000,
    answers,
    images: answers,
    megapixels: answers * Math.max(largestMegapixels, megapixelsOfFrame),
  };
}

export const plus = (one: SessionUse, other: SessionUse): SessionUse => ({
  seconds: one.seconds + other.seconds,
  answers: one.answers + other.answers,
  images: one.images + other.images,
  megapixels: one.megapixels + other.megapixels,
});

/**
 * The usage as a run stores it. Answers and pictures are exact. Seconds and megapixels are our own
 * measurements and so estimates, because the provider bills by its own.
 */
export function usageOf(meter: Meter | "free" | null, use: SessionUse, isCutOff = false): Usage {
  const isEstimated =
    isCutOff ||
    (meter !== null && meter !== "free" && (meter.of === "seconds" || meter.of === "megapixels"));
  return {
    units: {
      seconds: use.seconds.toFixed(3),
      answers: String(use.answers),
      images: String(use.images),
      megapixels: use.megapixels.toFixed(6),
      ...(isEstimated && { estimated: "yes" }),
    },
  };
}

/** Reads the usage that a killed server saved last. */
export function readUse(usage: Usage | null): SessionUse {
  const read = (name: keyof SessionUse): number => {
    const value = Number(usage?.units?.[name] ?? 0);
    return Number.isFinite(value) && value > 0 ? value : 0;
  };
  return {
    seconds: read("seconds"),
    answers: read("answers"),
    images: read("images"),
    megapixels: read("megapixels"),
  };
}
