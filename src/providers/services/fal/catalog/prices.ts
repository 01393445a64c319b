import { isKeyRefusal } from "#contract/errors.ts";
import { dollarsToMicros } from "#domain/money/money.ts";
import { type CallContext, type ModelPrice, ProviderError } from "../../../adapter.ts";
import { isRecord } from "../../../wire/error-fields.ts";
import { callFal, falUrl, readJson } from "../call.ts";

/** The most endpoints priced in one request. */
export const pricesPerCall = 50;

/**
 * Reads prices of up to 50 endpoints. A unit of compute seconds is a rate, not a price: the cost of
 * a run is known after it. Prices are optional: unless the key itself is refused, a list without
 * them is returned.
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
    if (error instanceof ProviderError && !isKeyRefusal(error.code)) return new Map();
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
