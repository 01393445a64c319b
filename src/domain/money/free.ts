import type { Model } from "#contract/entities.ts";

/** Whether the model is certainly free. A model without a price is not. */
export const isFree = (prices: readonly Model["prices"][number][]): boolean =>
  prices.length > 0 && prices.every(({ micros }) => Number(micros) === 0);
