import type { Model } from "#contract/entities.ts";
import type { JsonObject } from "#contract/json.ts";
import { type Estimate, estimateInput } from "#domain/prices.ts";
import { inputsOfVariants } from "#domain/variants.ts";
import type { Price } from "../../../messages/format.ts";

type Priced = Pick<Model, "prices" | "capabilities">;

/** What n results of a form will cost: each run that they become, as the server counts them. */
export function estimatePrice(model: Priced, values: JsonObject, variants: number): Price {
  const countField = model.capabilities.countField as { name: string; most: number } | undefined;
  const runs = inputsOfVariants(values, variants, { inputSchema: null, countField }, () => 0);
  return sumPrices(runs.map((input) => toPrice(estimateInput(model, input))));
}

const toPrice = (estimate: Estimate | null): Price =>
  estimate === null ? { kind: "unknown" } : { kind: "about", micros: estimate.likelyMicros, mostMicros: estimate.mostMicros };

/** The price of all together: unknown as soon as one is. */
export function sumPrices(prices: readonly Price[]): Price {
  if (prices.some(({ kind }) => kind === "unknown")) return { kind: "unknown" };
  const sum = (of: (price: Price) => number): number => prices.reduce((total, price) => total + of(price), 0);
  const micros = sum((price) => ("micros" in price ? price.micros : 0));
  const mostMicros = sum((price) => (price.kind === "about" ? (price.mostMicros ?? price.micros) : "micros" in price ? price.micros : 0));
  return mostMicros === 0 ? { kind: "free" } : { kind: "about", micros, mostMicros };
}
