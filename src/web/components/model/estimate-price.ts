import type { ModelDetail } from "#contract/entities.ts";
import { limits } from "#contract/limits.ts";
import { priceOfRun } from "#domain/money/prices.ts";
import { countOfForm, type FormAsk, inputsOfForm } from "#domain/runs/variants.ts";
import type { WordLists } from "#domain/text/prompt-template.ts";
import { expectedPrice, type Price, sumPrices } from "../../messages/format.ts";

type PricedModel = Pick<ModelDetail, "prices" | "ceilingMicros" | "capabilities" | "inputSchema">;

/**
 * The estimated cost of a form's results on one model, counting runs as the server does.
 * @param lists the word lists that the prompt refers to
 * @param heardSeconds the duration of the recordings to transcribe
 */
export function estimatePrice(
  model: PricedModel,
  ask: FormAsk,
  heardSeconds?: number,
  lists?: WordLists,
): Price {
  const countField = model.capabilities.countField as { name: string; most: number } | undefined;
  // The server refuses more.
  const { results, places, longest, characters } = countOfForm(ask, { countField }, lists);
  if (
    results > limits.runsPerBatch ||
    places > limits.promptPlaces ||
    longest > limits.promptCharacters ||
    characters > limits.batchPromptCharacters
  )
    return { kind: "unknown" };
  const runs = inputsOfForm(ask, { inputSchema: model.inputSchema, countField }, () => 0, lists);
  return sumPrices(runs.map(({ input }) => expectedPrice(priceOfRun(model, input, heardSeconds))));
}
