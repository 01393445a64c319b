import type { ModelDetail } from "#contract/entities.ts";
import { type Estimate, estimateRun } from "#domain/money/prices.ts";
import { type FormAsk, inputsOfForm } from "#domain/runs/variants.ts";
import type { Price } from "../../messages/format.ts";
import { sumPrices } from "../run/sum-prices.ts";

type Priced = Pick<ModelDetail, "prices" | "capabilities" | "inputSchema">;

/**
 * What the results of a form will cost on one model: each run that they become, as the server counts them.
 * @param heardSeconds of the recordings that a transcription hears
 */
export function estimatePrice(model: Priced, ask: FormAsk, heardSeconds?: number): Price {
  const countField = model.capabilities.countField as { name: string; most: number } | undefined;
  const runs = inputsOfForm(ask, { inputSchema: model.inputSchema, countField }, () => 0);
  return sumPrices(runs.map((input) => toPrice(estimateRun(model, input, heardSeconds))));
}

const toPrice = (estimate: Estimate | null): Price =>
  estimate === null
    ? { kind: "unknown" }
    : { kind: "about", micros: estimate.likelyMicros, mostMicros: estimate.mostMicros };
