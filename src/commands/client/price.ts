import type { JsonObject } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import { formatDollars } from "#domain/money/money.ts";
import { priceOfRun, type RunPrice } from "#domain/money/prices.ts";
import { countOfForm, inputsOfForm } from "#domain/runs/variants.ts";
import type { ModelDetails } from "./api-client.ts";

const unknown: RunPrice = { likelyMicros: null, mostMicros: null };

/** The cost of one command's runs, computed like the server's reservation. */
export function priceOfRuns(
  model: ModelDetails | undefined,
  ask: { input: JsonObject; variants: number },
  heardSeconds: number | undefined,
): RunPrice {
  if (!model) return unknown;
  const { inputSchema } = model;
  const countField = model.capabilities.countField as { name: string; most: number } | undefined;
  // The server refuses more.
  if (countOfForm(ask, { countField }).results > limits.runsPerBatch) return unknown;
  return inputsOfForm(ask, { inputSchema, countField }, () => 0)
    .map(({ input }) => priceOfRun(model, input, heardSeconds))
    .reduce((sum, one) => ({
      likelyMicros: add(sum.likelyMicros, one.likelyMicros),
      mostMicros: add(sum.mostMicros, one.mostMicros),
    }));
}

const add = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? null : a + b;

/** "about $0.025, at most $0.05" */
export function formatPrice({ likelyMicros, mostMicros }: RunPrice): string {
  if (mostMicros === 0) return "free";
  if (!likelyMicros)
    return mostMicros === null ? "an unknown price" : `at most ${formatDollars(mostMicros)}`;
  const about = `about ${formatDollars(likelyMicros)}`;
  return mostMicros === null || mostMicros === likelyMicros
    ? about
    : `${about}, at most ${formatDollars(mostMicros)}`;
}
