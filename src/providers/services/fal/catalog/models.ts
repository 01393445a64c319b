import type { JsonSchema } from "#contract/json.ts";
import { realtimePath } from "#domain/models/fal-apps.ts";
import {
  type CallContext,
  type ModelCapabilities,
  type ModelFacts,
  type ModelPrice,
  ProviderError,
} from "../../../adapter.ts";
import { isRecord } from "../../../wire/error-fields.ts";
import { releasedAt, sampleOf } from "../../../wire/model-list.ts";
import { callFal, falUrl, readJson } from "../call.ts";
import { drawingField } from "../live/realtime.ts";
import { withRunHeaders } from "../run-headers.ts";
import { pricesPerCall, readPrices } from "./prices.ts";
import { toInputSchema } from "./schema.ts";
import { toKind } from "./tasks.ts";

/**
 * A catalog of some 1,400 endpoints has 30 pages; with more than this, the cursor must be looping.
 */
const maxPages = 500;

/**
 * Lists fal's whole catalog with schemas and prices, a page at a time (GET
 * /v1/models?expand=openapi-3.0).
 * @throws ProviderError
 */
export async function* listModels(context: CallContext): AsyncIterable<ModelFacts[]> {
  let cursor: string | null = null;
  for (let page = 0; page < maxPages; page++) {
    const url = falUrl(context, "api", "v1/models");
    url.searchParams.set("expand", "openapi-3.0");
    url.searchParams.set("limit", String(pricesPerCall));
    if (cursor !== null) url.searchParams.set("cursor", cursor);
    const answer = await readJson(await callFal(context, url, { phase: "list" }), "list");
    if (!isRecord(answer) || !Array.isArray(answer.models)) {
      throw new ProviderError("provider_protocol", "no", {
        message: "fal's list of models is not one.",
      });
    }
    const entries = answer.models
      .filter(isRecord)
      .filter((entry) => typeof entry.endpoint_id === "string");
    const prices = new Map<string, ModelPrice>();
    for (let start = 0; start < entries.length; start += pricesPerCall) {
      const ids = entries
        .slice(start, start + pricesPerCall)
        .map((entry) => String(entry.endpoint_id));
      for (const [id, price] of await readPrices(context, ids)) prices.set(id, price);
    }
    const further = realtimeModelsOf(context);
    yield entries.map((entry) => toFacts(entry, prices, further));
    cursor = typeof answer.next_cursor === "string" ? answer.next_cursor : null;
    if (cursor === null) return;
  }
}

function toFacts(
  entry: Record<string, unknown>,
  prices: ReadonlyMap<string, ModelPrice>,
  realtime: ReadonlySet<string>,
): ModelFacts {
  const id = String(entry.endpoint_id);
  const metadata = isRecord(entry.metadata) ? entry.metadata : {};
  const tags = Array.isArray(metadata.tags) ? metadata.tags.map(String) : [];
  const inputSchema = toInputSchema(entry.openapi, id);
  const kind = toKind(typeof metadata.category === "string" ? metadata.category : "", tags);
  const live = liveOf(id, kind, inputSchema, realtime);
  // A canvas sends its settings with each frame, over a socket.
  const form = live ? inputSchema : withRunHeaders(inputSchema);
  return {
    id,
    name:
      typeof metadata.display_name === "string" && metadata.display_name
        ? metadata.display_name
        : id,
    ...(typeof metadata.description === "string" && { description: metadata.description }),
    ...kind,
    ...(live && { tasks: live.alone ? ["live"] : [...kind.tasks, "live"] }),
    inputSchema: form,
    capabilities: {
      ...toCapabilities(inputSchema),
      // From fal's own gallery.
      ...sampleOf(metadata.thumbnail_url),
      ...(live && { live: { drawing: drawingField(inputSchema) } }),
    },
    limits: {},
    price: prices.get(id) ?? null,
    status: metadata.status === "deprecated" ? "deprecated" : "active",
    ...releasedAt.iso(metadata.date),
  };
}

/**
 * Models with the realtime protocol in addition to the queue, which no field of the catalog states:
 * from fal's documents and demos, November 2026. A connection may name more.
 */
const alsoRealtime = ["fal-ai/fast-lcm-diffusion", "fal-ai/fast-lightning-sdxl"];

const realtimeModelsOf = ({ connection }: CallContext): Set<string> =>
  new Set(
    [...alsoRealtime, ...String(connection.options.realtimeModels ?? "").split(/[\s,]+/)].filter(
      (id) => id !== "",
    ),
  );

/**
 * Whether it makes frames on a live canvas: an endpoint at fal's realtime path has no other way to
 * run.
 */
function liveOf(
  id: string,
  kind: ReturnType<typeof toKind>,
  schema: JsonSchema | null,
  realtime: ReadonlySet<string>,
) {
  if (realtime.has(id)) return { alone: false };
  const isCanvas =
    realtimePath(id) === id &&
    kind.outputModalities.includes("image") &&
    drawingField(schema) !== null;
  return isCanvas ? { alone: true } : undefined;
}

/** Names in fal's catalog for the number of outputs per call. */
const countFields = ["num_images", "num_samples", "num_outputs", "num_videos"];

function toCapabilities(schema: JsonSchema | null): ModelCapabilities {
  const properties = isRecord(schema?.properties) ? schema.properties : {};
  const capabilities: ModelCapabilities = {};
  if ("seed" in properties) capabilities.seed = true;
  for (const name of countFields) {
    const field = properties[name];
    if (
      isRecord(field) &&
      field.type === "integer" &&
      typeof field.maximum === "number" &&
      field.maximum > 1
    ) {
      capabilities.countField = { name, most: field.maximum };
      break;
    }
  }
  return capabilities;
}
