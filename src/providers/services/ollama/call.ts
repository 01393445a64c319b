import type { Json } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import { sentences } from "#contract/sentences/index.ts";
import type { JsonBounds } from "#domain/schemas/json-scan.ts";
import { type CallContext, ProviderError } from "../../adapter.ts";
import { unpaid } from "../../outbound/outbound.ts";
import { isRecord } from "../../wire/error-fields.ts";
import { readJson, readOptions, unlessPage } from "../../wire/http-errors.ts";
import { toLineError, toOllamaError } from "./errors.ts";
import { readJsonLines } from "./lines.ts";

type OllamaPath =
  | "version"
  | "tags"
  | "show"
  | "ps"
  | "chat"
  | "generate"
  | "embed"
  | "pull"
  | "delete";
type OllamaCall = { path: OllamaPath; method?: "GET" | "POST" | "DELETE"; json?: unknown };

/**
 * Makes one request of /api/…, which is free.
 * @throws ProviderError for any status except 2xx
 */
async function send(
  context: CallContext,
  { path, method = "GET", json }: OllamaCall,
): Promise<Response> {
  const base = (context.connection.addresses.api ?? "").replace(/\/+$/, "");
  const headers = new Headers({ accept: "application/json" });
  // Ollama needs no key, but a proxy or ollama.com may.
  if (context.connection.secret)
    headers.set("authorization", `Bearer ${context.connection.secret}`);
  const init: RequestInit = { method, headers, signal: context.signal };
  if (json !== undefined) {
    headers.set("content-type", "application/json");
    init.body = JSON.stringify(json);
  }
  // An answer is this attempt's one POST; all other requests only query or maintain.
  const response = await context.fetch(
    `${base}/api/${path}`,
    path === "chat" || path === "embed" ? init : unpaid(init),
  );
  if (!response.ok) throw await toOllamaError(response, readOptions(context, method));
  return unlessPage(response, method);
}

/** Returns the whole response as an object. */
export async function ask(
  context: CallContext,
  call: OllamaCall,
  bounds?: JsonBounds,
): Promise<{ [key: string]: unknown }> {
  const answer = await readJson(
    await send(context, call),
    readOptions(context, call.method ?? "GET"),
    limits.providerJsonBytes,
    bounds,
  );
  if (!isRecord(answer))
    throw new ProviderError("provider_protocol", "no", {
      message: sentences.connections.notOllamaAnswer,
    });
  return answer;
}

/** Makes a request with an empty response. */
export async function tell(context: CallContext, call: OllamaCall): Promise<void> {
  await (await send(context, call)).body?.cancel();
}

/** Yields the response line by line; a line with an error throws it. */
export async function* stream(
  context: CallContext,
  call: OllamaCall,
): AsyncGenerator<{ [key: string]: Json }> {
  const response = await send(context, { ...call, method: "POST" });
  for await (const line of readJsonLines(response.body ?? [])) {
    if (!isRecord(line))
      throw new ProviderError("provider_protocol", "yes", {
        message: sentences.answers.lineNotObject,
      });
    if (line.error !== undefined) throw toLineError(line, facts(context));
    yield line as { [key: string]: Json };
  }
}

function facts(context: CallContext): { secret: string | null; host: string } {
  const { api = "" } = context.connection.addresses;
  return {
    secret: context.connection.secret,
    host: URL.canParse(api) ? new URL(api).host : "Ollama",
  };
}
