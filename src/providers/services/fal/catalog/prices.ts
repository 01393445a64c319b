import { dollarsToMicros } from "#domain/money/money.ts";
import { type CallContext, type ModelPrice, ProviderError } from "../../../adapter.ts";
import { isRecord } from "../../../wire/error-fields.ts";
import { callFal, falUrl, readJson } from "../call.ts";

/** The most endpoints fal prices in one call. */
export const pricesPerCall = 50;

/**
 * Prices of up to 50 endpoints. A unit of compute seconds is a rate, not a price: what one run costs shows when it has run.
 * Prices are an extra: unless the key itself is refused, a list that can't be priced is given without.
 */
export async function readPrices(
  context: CallContext,
  endpointIds: readonly string[],
): Promise<Map<string, ModelPrice>> {
  const url = falUrl(context, "api", "v1/models/pricing");
  for (const id of endpointIds) url.searchParams.append("endpoint_id", id);
  try {
    const answer = await readJson(await callFal(context, url, { phase: "list" }), "list");
    const entries = isRecord(answer) && Array.isArray(answer.prices) ? answer.prices : [];
    return new Map(entries.flatMap((entry) => toPrice(entry, url.host, context.clock.now())));
  } catch (error) {
    if (error instanceof ProviderError && error.code !== "provider_auth") return new Map();
    throw error;
  }
}

function toPrice(entry: unknown, source: string, at: number): [string, ModelPrice][] {
  if (!isRecord(entry) || typeof entry.endpoint_id !== "string" || typeof entry.unit !== "string")
    return [];
  const micros = dollarsToMicros(entry.unit_price);
  if (micros === null || (entry.currency !== undefined && entry.currency !== "USD")) return [];
  return [[entry.endpoint_id, { unit: entry.unit.trim().toLowerCase(), micros, source, at }]];
}
