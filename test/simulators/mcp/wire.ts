import { z } from "zod";

/**
 * The messages that a client may post, strictly checked
 * (https://modelcontextprotocol.io/specification/2025-11-25/schema).
 */
const id = z.union([z.string(), z.int()]);
const meta = z.looseObject({ progressToken: id.optional() }).optional();
const request = <M extends string, P extends z.ZodType>(method: M, params: P) =>
  z.strictObject({ jsonrpc: z.literal("2.0"), id, method: z.literal(method), params });
const notification = <M extends string, P extends z.ZodType>(method: M, params: P) =>
  z.strictObject({ jsonrpc: z.literal("2.0"), method: z.literal(method), params });

export const protocolVersion = "2025-11-25";
const clientRequest = z.discriminatedUnion("method", [
  request(
    "initialize",
    z.strictObject({
      protocolVersion: z.literal(protocolVersion),
      capabilities: z.strictObject({ elicitation: z.strictObject({ form: z.strictObject({}) }) }),
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
/** A client's answer to the server's question; content only if it accepts. */
const clientResponse = z.strictObject({
  jsonrpc: z.literal("2.0"),
  id,
  result: z.discriminatedUnion("action", [
    z.strictObject({
      action: z.literal("accept"),
      content: z.record(
        z.string(),
        z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]),
      ),
      _meta: meta,
    }),
    z.strictObject({ action: z.enum(["decline", "cancel"]), _meta: meta }),
  ]),
});
/** The client's error for an unknown request. */
const clientError = z.strictObject({
  jsonrpc: z.literal("2.0"),
  id,
  error: z.looseObject({ code: z.int(), message: z.string() }),
});
export type ClientResponse = z.infer<typeof clientResponse> | z.infer<typeof clientError>;
export const clientMessage = z.union([clientRequest, clientResponse, clientError]);
export type ClientMessage = z.infer<typeof clientRequest>;
