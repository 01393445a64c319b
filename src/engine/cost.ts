import { multiplyToMicros } from "#domain/money.ts";
import type { Usage } from "#providers/adapter.ts";
import type { InHand } from "./owned.ts";

/**
 * What a run cost, in micro-dollars: what the provider reported, else its billable units at the price that the run was
 * admitted under. Null when neither is known.
 */
export function costOf(inHand: Pick<InHand, "adapter" | "run">, came: { usage?: Usage; costMicros?: number } | null): number | null {
  if (came?.costMicros !== undefined) return came.costMicros;
  if (inHand.adapter.free) return 0;
  const units = came?.usage?.units?.["billable-units"];
  const [price, ...others] = inHand.run.prices;
  return units !== undefined && price && others.length === 0 ? multiplyToMicros(units, price.micros) : null;
}
