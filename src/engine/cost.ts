import { costOfUsage } from "#domain/prices.ts";
import type { Usage } from "#providers/adapter.ts";
import type { InHand } from "./owned.ts";

/**
 * What a run cost, in micro-dollars: what the provider reported, else what it counted at the prices that the run was
 * admitted under. Null when neither is known.
 */
export function costOf(inHand: Pick<InHand, "adapter" | "run">, came: { usage?: Usage; costMicros?: number } | null): number | null {
  if (came?.costMicros !== undefined) return came.costMicros;
  if (inHand.adapter.free) return 0;
  return came?.usage ? costOfUsage(inHand.run.prices, came.usage) : null;
}
