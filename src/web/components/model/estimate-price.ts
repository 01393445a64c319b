import type { ModelDetail } from "#contract/entities.ts";
import { limits } from "#contract/limits.ts";
import { priceOfRun } from "#domain/money/prices.ts";
import { countOfForm, type FormAsk, inputsOfForm } from "#domain/runs/variants.ts";
import type { WordLists } from "#domain/text/prompt-template.ts";
import { foreseen, type Price, sumPrices } from "../../messages/format.ts";

type PricedModel = Pick<ModelDetail, "prices" | "ceilingMicros" | "capabilities" | "inputSchema">;

/**
 * What the results of a form will cost on one model: each run that they become, as the server counts them.
 * @param lists the word lists that its prompt names
 * @param heardSeconds of the recordings that a transcription hears
 */
export function estimatePrice(
  model: PricedModel,
  ask: FormAsk,
  heardSeconds?: number,
  lists?: WordLists,
): Price {
  const countField = model.capabilities.countField as { name: string; most: number } | undefined;
  // More are refused, and never made.
  const { results, places, longest, characters } = countOfForm(ask, { countField }, lists);
  if (
    results > limits.runsPerBatch ||
    places > limits.promptPlaces ||
    longest > limits.promptCharacters ||
    characters > limits.batchPromptCharacters
  )
    return { kind: "unknown" };
  const runs = inputsOfForm(ask, { inputSchema: model.inputSchema, countField }, () => 0, lists);
  return sumPrices(runs.map(({ input }) => foreseen(priceOfRun(model, input, heardSeconds))));
}
