import type { ServerResponse } from "node:http";
import { replyJson } from "../http-reply.ts";

/** fal's bill for one request. A test may change it, and add requests that nobody sent. */
export type BillingEvent = {
  requestId: string;
  at: number;
  model: string;
  units: string;
  unitPrice: number;
  nanoUsd: number;
};

const known = new Set(["start", "end", "limit", "cursor", "endpoint_id", "timezone"]);
const maxDays = 90;
const maxPerPage = 10_000;
const dayMs = 24 * 60 * 60_000;

/** The cost of decimal units at a price in dollars, in nano-dollars. */
export const nanoUsdOf = (units: string, unitPrice: number): number =>
  Math.round(Number(units) * unitPrice * 1e9);

/**
 * GET api.fal.ai/v1/models/billing-events with the admin's key: start inclusive, end exclusive, at
 * most 90 days, paged by cursor.
 * @param pageSize fewer than requested, as fal may answer
 */
export function replyBilling(
  response: ServerResponse,
  events: readonly BillingEvent[],
  query: URLSearchParams,
  pageSize: number,
) {
  const refuse = (message: string) =>
    replyJson(response, 400, { error: { type: "validation_error", message } });
  const refused = [...query.keys()].find((name) => !known.has(name));
  if (refused) return refuse(`Invalid parameter ${refused}`);
  const [startAt, endAt] = [
    Date.parse(query.get("start") ?? ""),
    Date.parse(query.get("end") ?? ""),
  ];
  if (!(startAt < endAt)) return refuse("start must be before end");
  if (endAt - startAt > maxDays * dayMs) return refuse(`Date range is capped at ${maxDays} days`);
  const limit = Number(query.get("limit") ?? 50);
  if (!Number.isInteger(limit) || limit < 1 || limit > maxPerPage) return refuse("Invalid limit");
  const first = query.has("cursor")
    ? Number(Buffer.from(query.get("cursor") ?? "", "base64url").toString())
    : 0;
  if (!Number.isInteger(first)) return refuse("Invalid cursor");
  const matching = events.filter(({ at }) => at >= startAt && at < endAt);
  const end = first + Math.min(limit, pageSize);
  const isMore = end < matching.length;
  replyJson(response, 200, {
    billing_events: matching.slice(first, end).map((event) => ({
      request_id: event.requestId,
      timestamp: new Date(event.at).toISOString(),
      endpoint_id: event.model,
      output_units: Number(event.units),
      unit_price: event.unitPrice,
      cost_estimate_nano_usd: event.nanoUsd,
    })),
    next_cursor: isMore ? Buffer.from(String(end)).toString("base64url") : null,
    has_more: isMore,
  });
}
