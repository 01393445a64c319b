import { z } from "zod";

/** The messages that a client may post, strictly (https://modelcontextprotocol.io/specification/2025-11-25/schema). */
const id = z.union([z.string(), z.int()]);
const meta = z.looseObject({ progressToken: id.optional() }).optional();
const request = <M extends string, P extends z.ZodType>(method: M, params: P) =>
  z.strictObject({ jsonrpc: z.literal("2.0"), id, method: z.literal(method), params });
const notification = <M extends string, P extends z.ZodType>(method: M, params: P) =>
  z.strictObject({ jsonrpc: z.literal("2.0"), method: z.literal(method), params });

export const protocolVersion = "2025-11-25";
export const clientMessage = z.discriminatedUnion("method", [
  request(
    "initialize",
    z.strictObject({
      protocolVersion: z.literal(protocolVersion),
      capabilities: z.strictObject({}),
      clientInfo: z.strictObject({
        name: z.string(),
        title: z.string().optional(),
        version: z.string(),
      }),
      _meta: meta,
    }),
  ),
  notification("notifications/initialized", z.strictObject({ _meta: meta }).optional()),
  notification(
    "notifications/cancelled",
    z.strictObject({ requestId: id, reason: z.string().optional(), _meta: meta }),
  ),
  request("ping", z.strictObject({ _meta: meta }).optional()),
  request("tools/list", z.strictObject({ cursor: z.string().optional(), _meta: meta }).optional()),
  request(
    "tools/call",
    z.strictObject({
      name: z.string(),
      arguments: z.record(z.string(), z.unknown()).optional(),
      _meta: meta,
    }),
  ),
]);
export type ClientMessage = z.infer<typeof clientMessage>;
