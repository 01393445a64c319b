import { sentences } from "#contract/sentences/index.ts";
import { nanoDollarsToMicros } from "#domain/money/money.ts";
import { type BilledEvent, type CallContext, ProviderError } from "../../../adapter.ts";
import { isRecord } from "../../../wire/error-fields.ts";
import { callFal, falUrl, readJson } from "../call.ts";

/** The longest range of a request, and the most events in its response. */
const maxMs = 90 * 24 * 60 * 60_000;
const eventsPerPage = 10_000;

/** Three months of a thousand events a minute; with more, the cursor must be looping. */
const maxPages = 15_000;

/**
 * Lists what fal billed (GET /v1/models/billing-events, fal.ai/docs/platform-apis), with `start`
 * included and `end` excluded.
 * @throws ProviderError
 */
export async function* listBilled(
  range: { fromMs: number; toMs: number },
  context: CallContext,
): AsyncIterable<BilledEvent[]> {
  for (let fromMs = range.fromMs; fromMs < range.toMs; fromMs += maxMs)
    yield* listPages({ fromMs, toMs: Math.min(fromMs + maxMs, range.toMs) }, context);
}

async function* listPages(
  { fromMs, toMs }: { fromMs: number; toMs: number },
  context: CallContext,
): AsyncIterable<BilledEvent[]> {
  let cursor: string | null = null;
  for (let page = 0; page < maxPages; page++) {
    const url = falUrl(context, "api", "v1/models/billing-events");
    url.searchParams.set("start", new Date(fromMs).toISOString());
    url.searchParams.set("end", new Date(toMs).toISOString());
    url.searchParams.set("limit", String(eventsPerPage));
    if (cursor !== null) url.searchParams.set("cursor", cursor);
    const answer = await readJson(await callFal(context, url, { phase: "list" }), "list");
    if (!isRecord(answer) || !Array.isArray(answer.billing_events))
      throw notABill("fal's list of billing events is not one.");
    yield answer.billing_events.map(toEvent);
    cursor = typeof answer.next_cursor === "string" ? answer.next_cursor : null;
    if (cursor === null || answer.has_more === false) return;
  }
}

/** An unreadable amount isn't guessed: a comparison without it would report that all is well. */
function toEvent(event: unknown): BilledEvent {
  const {
    request_id: requestId,
    endpoint_id: model,
    timestamp,
    cost_estimate_nano_usd: nano,
  } = isRecord(event) ? event : {};
  const at = typeof timestamp === "string" ? Date.parse(timestamp) : Number.NaN;
  const micros = nanoDollarsToMicros(nano);
  if (
    typeof requestId !== "string" ||
    typeof model !== "string" ||
    Number.isNaN(at) ||
    micros === null
  )
    throw notABill(sentences.fal.badBillingEvent);
  return { requestId, model, at, micros };
}

const notABill = (message: string) => new ProviderError("provider_protocol", "no", { message });
