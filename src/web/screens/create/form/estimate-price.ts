import type { Model } from "#contract/entities.ts";
import type { JsonObject } from "#contract/json.ts";
import { estimateInput } from "#domain/prices.ts";
import { inputsOfVariants } from "#domain/variants.ts";
import type { Price } from "../../../messages/format.ts";

type Priced = Pick<Model, "prices" | "capabilities">;

/** What n results of a form will cost: each run that they become, as the server counts them. */
export function estimatePrice(model: Priced, values: JsonObject, variants: number): Price {
  const countField = model.capabilities.countField as { name: string; most: number } | undefined;
  const runs = inputsOfVariants(values, variants, { inputSchema: null, countField }, () => 0);
  const estimates = runs.map((input) => estimateInput(model, input));
  const micros = estimates.reduce<number | null>((sum, one) => (sum === null || one === null ? null : sum + one.likelyMicros), 0);
  if (micros === null) return { kind: "unknown" };
  return micros === 0 ? { kind: "free" } : { kind: "about", micros };
}

/** The price of all models together: unknown as soon as one is. */
export function sumPrices(prices: readonly Price[]): Price {
  if (prices.some(({ kind }) => kind === "unknown")) return { kind: "unknown" };
  const micros = prices.reduce((sum, price) => sum + ("micros" in price ? price.micros : 0), 0);
  return micros === 0 ? { kind: "free" } : { kind: "about", micros };
}
