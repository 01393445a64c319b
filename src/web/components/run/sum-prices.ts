import type { Price } from "../../messages/format.ts";

/** The price of all together: unknown as soon as one is. */
export function sumPrices(prices: readonly Price[]): Price {
  if (prices.some(({ kind }) => kind === "unknown")) return { kind: "unknown" };
  const sum = (of: (price: Price) => number): number =>
    prices.reduce((total, price) => total + of(price), 0);
  const micros = sum((price) => ("micros" in price ? price.micros : 0));
  const mostMicros = sum((price) =>
    price.kind === "about"
      ? (price.mostMicros ?? price.micros)
      : "micros" in price
        ? price.micros
        : 0,
  );
  return mostMicros === 0 ? { kind: "free" } : { kind: "about", micros, mostMicros };
}
