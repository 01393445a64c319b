import type { Price } from "../../messages/format.ts";

/** The price of all together: unknown as soon as one is, a bound alone as soon as one is no more than that. */
export function sumPrices(prices: readonly Price[]): Price {
  const has = (kind: Price["kind"]): boolean => prices.some((price) => price.kind === kind);
  if (has("unknown")) return { kind: "unknown" };
  const sum = (of: (price: Price) => number): number =>
    prices.reduce((total, price) => total + of(price), 0);
  const micros = sum((price) => ("micros" in price ? price.micros : 0));
  const mostMicros = sum((price) => mostOf(price) ?? Number.NaN);
  if (mostMicros === 0) return { kind: "free" };
  if (Number.isNaN(mostMicros))
    return has("at-most") ? { kind: "unknown" } : { kind: "about", micros };
  return has("at-most")
    ? { kind: "at-most", micros: mostMicros }
    : { kind: "about", micros, mostMicros };
}

/** Null where nothing bounds it. */
const mostOf = (price: Price): number | null =>
  price.kind === "about" ? (price.mostMicros ?? null) : "micros" in price ? price.micros : 0;
