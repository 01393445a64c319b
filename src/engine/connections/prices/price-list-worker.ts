import { parentPort } from "node:worker_threads";
import type { ModelPrice } from "#providers/adapter.ts";
import { answerTasks } from "../../threads/answer-tasks.ts";

export type PriceTask = { api: string; modelIds: string[]; at: number };
export type PriceAnswer = Record<string, ModelPrice[]>;

/**
 * Imported only in a worker that exits after answering: the list takes 20 MB and is needed every
 * few hours.
 */
answerTasks(parentPort, async ({ api, modelIds, at }: PriceTask): Promise<PriceAnswer> => {
  const { listedPrices } = await import("./listed-prices.ts");
  return Object.fromEntries(modelIds.map((id) => [id, listedPrices(api, id, at)]));
});
