import { sentences } from "#contract/sentences/index.ts";
import { type CallContext, ProviderError } from "../../adapter.ts";
import { unpaid } from "../../outbound/outbound.ts";
import { isRecord } from "../../wire/error-words.ts";
import { readJson, toHttpError } from "../../wire/http-errors.ts";
import { classify } from "./errors.ts";

/** The URL before /models: https://generativelanguage.googleapis.com/v1beta, or a publisher's path in Vertex AI. */
export const baseUrl = (context: CallContext) =>
  (context.connection.addresses.api ?? "").replace(/\/+$/, "");

/** @throws ProviderError `provider_auth` without a key: nothing is sent then */
export function keyOf({ connection }: CallContext): string {
  if (connection.secret) return connection.secret;
  throw new ProviderError("provider_auth", "no", { message: sentences.connections.noKey });
}

/** A GET of the API as a JSON object. Throws ProviderError. */
export const getObject = (context: CallContext, path: string) =>
  callFor(context, path, { method: "GET" });

/** The one paid POST of an attempt, answered whole. Throws ProviderError. */
export const postObject = (context: CallContext, path: string, body: object) =>
  callFor(context, path, { method: "POST", body });

/** A POST that only asks, and costs nothing. Throws ProviderError. */
export const askObject = (context: CallContext, path: string, body: object) =>
  callFor(context, path, { method: "POST", body, isFree: true });

async function callFor(
  context: CallContext,
  path: string,
  { method, body, isFree }: { method: "GET" | "POST"; body?: object; isFree?: boolean },
): Promise<Record<string, unknown>> {
  const init: RequestInit = {
    method,
    headers: {
      accept: "application/json",
      "x-goog-api-key": keyOf(context),
      ...(body && { "content-type": "application/json" }),
    },
    ...(body && { body: JSON.stringify(body) }),
    signal: context.signal,
  };
  const response = await context.fetch(`${baseUrl(context)}${path}`, isFree ? unpaid(init) : init);
  // The answer of a query proves nothing about a paid request.
  const asked = {
    method: isFree ? "GET" : method,
    secret: context.connection.secret,
    now: context.clock.now(),
    parse: context.parseJson,
  };
  if (!response.ok) throw await toHttpError(response, asked, classify);
  const answer = await readJson(response, asked);
  if (isRecord(answer)) return answer;
  const taken = asked.method === "GET" ? "no" : "unknown";
  throw new ProviderError("provider_protocol", taken, {
    message: sentences.connections.notGoogle,
  });
}
