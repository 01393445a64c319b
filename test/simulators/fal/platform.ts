import type { ServerResponse } from "node:http";
import { replyJson } from "../http-reply.ts";
import type { SimulatedModel } from "./catalogue.ts";

const maxPerPage = 50;
const known = new Set(["limit", "cursor", "endpoint_id", "q", "category", "status", "expand"]);

/**
 * GET api.fal.ai/v1/models: pages by cursor, filters, and documents if requested. An unknown
 * parameter is refused.
 */
export function replyModels(
  response: ServerResponse,
  models: readonly SimulatedModel[],
  query: URLSearchParams,
  /** The address of its pictures. */
  thumbnails: string,
) {
  const refused = [...query.keys()].find((name) => !known.has(name));
  const limit = Number(query.get("limit") ?? maxPerPage);
  const start = query.has("cursor")
    ? Number(Buffer.from(query.get("cursor") ?? "", "base64url").toString())
    : 0;
  if (refused || !Number.isInteger(limit) || limit < 1 || !Number.isInteger(start)) {
    return replyJson(response, 400, {
      error: {
        type: "validation_error",
        message: `Invalid parameter ${refused ?? "limit or cursor"}`,
      },
    });
  }
  const ids = idsOf(query);
  const matching = models.filter(
    (model) =>
      (ids.length === 0 || ids.includes(model.id)) &&
      (!query.has("category") || model.category === query.get("category")) &&
      (!query.has("status") || model.status === query.get("status")) &&
      (!query.has("q") ||
        `${model.name} ${model.description}`.toLowerCase().includes(query.get("q")!.toLowerCase())),
  );
  const end = start + Math.min(limit, maxPerPage);
  const next = end < matching.length ? Buffer.from(String(end)).toString("base64url") : null;
  const expanded = query.getAll("expand").includes("openapi-3.0");
  replyJson(response, 200, {
    models: matching.slice(start, end).map((model) => ({
      endpoint_id: model.id,
      metadata: {
        display_name: model.name,
        category: model.category,
        description: model.description,
        status: model.status,
        tags: model.tags,
        updated_at: "2026-06-01T12:00:00Z",
        date: model.date,
        thumbnail_url: `${thumbnails}/${encodeURIComponent(model.id)}`,
        model_url: `https://fal.run/${model.id}`,
      },
      ...(expanded && { openapi: model.document }),
    })),
    next_cursor: next,
    has_more: next !== null,
  });
}

/** GET /v1/models/pricing: 1 to 50 endpoints. */
export function replyPrices(
  response: ServerResponse,
  models: ReadonlyMap<string, SimulatedModel>,
  query: URLSearchParams,
) {
  const ids = idsOf(query);
  if (ids.length === 0 || ids.length > 50)
    return replyJson(response, 400, {
      error: { type: "validation_error", message: "1 to 50 endpoint_id" },
    });
  const found = ids.flatMap((id) => models.get(id) ?? []);
  if (found.length === 0)
    return replyJson(response, 404, {
      error: { type: "not_found", message: `Endpoint ${ids[0]} not found` },
    });
  const prices = found.map(({ id, price }) => ({ endpoint_id: id, ...price, currency: "USD" }));
  replyJson(response, 200, { prices, next_cursor: null, has_more: false });
}

const idsOf = (query: URLSearchParams) =>
  query.getAll("endpoint_id").flatMap((value) => value.split(","));
