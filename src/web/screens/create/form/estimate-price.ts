import type { ModelDetail } from "#contract/entities.ts";
import type { JsonObject } from "#contract/json.ts";
import { type Estimate, estimateRun } from "#domain/prices.ts";
import { inputsOfVariants } from "#domain/variants.ts";
import { sumPrices } from "../../../components/sum-prices.ts";
import type { Price } from "../../../messages/format.ts";

type Priced = Pick<ModelDetail, "prices" | "capabilities" | "inputSchema">;

/** What n results of a form will cost: each run that they become, as the server counts them. */
export function estimatePrice(model: Priced, values: JsonObject, variants: number): Price {
  const countField = model.capabilities.countField as { name: string; most: number } | undefined;
  const runs = inputsOfVariants(values, variants, { inputSchema: model.inputSchema, countField }, () => 0);
  return sumPrices(runs.map((input) => toPrice(estimateRun(model, input))));
}

const toPrice = (estimate: Estimate | null): Price =>
  estimate === null ? { kind: "unknown" } : { kind: "about", micros: estimate.likelyMicros, mostMicros: estimate.mostMicros };
