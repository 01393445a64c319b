import type { Json } from "#contract/json.ts";
import { sentences } from "#contract/sentences/index.ts";
import { type CallContext, ProviderError } from "../../adapter.ts";
import { unpaid } from "../../outbound/outbound.ts";
import { isRecord } from "../../wire/error-fields.ts";
import { readJson, readOptions, unlessPage } from "../../wire/http-errors.ts";
import { toComfyError } from "./errors.ts";

export type ComfyCall = {
  path: string;
  method?: "GET" | "POST";
  json?: unknown;
  body?: BodyInit;
  headers?: Record<string, string>;
};

/** Returns a URL of this server, whose base may have a path. */
export const comfyUrl = (context: CallContext, path: string): string =>
  `${(context.connection.addresses.api ?? "").replace(/\/+$/, "")}/${path}`;

/** ComfyUI needs no key, but a proxy may, in a header of its choice. */
export function keyHeader({ connection }: CallContext): Record<string, string> {
  const { secret, options } = connection;
  if (!secret) return {};
  const name =
    typeof options.header === "string" && options.header
      ? options.header.toLowerCase()
      : "authorization";
  return { [name]: name === "authorization" && !/\s/.test(secret) ? `Bearer ${secret}` : secret };
}

/**
 * Makes one request. `queue` marks the attempt's one POST; any other POST is free.
 * @throws ProviderError for any status except 2xx
 */
export async function send(
  context: CallContext,
  call: ComfyCall & { queue?: true },
): Promise<Response> {
  const { path, method = "GET", json, body } = call;
  const headers = new Headers({
    accept: "application/json",
    ...keyHeader(context),
    ...call.headers,
  });
  if (json !== undefined) headers.set("content-type", "application/json");
  const init: RequestInit & { duplex?: "half" } = { method, headers, signal: context.signal };
  if (json !== undefined || body !== undefined)
    init.body = json === undefined ? body! : JSON.stringify(json);
  if (body instanceof ReadableStream) init.duplex = "half";
  const response = await context.fetch(comfyUrl(context, path), call.queue ? init : unpaid(init));
  if (!response.ok) throw await toComfyError(response, context, method);
  return unlessPage(response, call.queue ? method : "GET");
}

/**
 * Returns the response as an object.
 * @throws ProviderError
 */
export async function ask(context: CallContext, call: ComfyCall): Promise<{ [key: string]: Json }> {
  const options = readOptions(context, call.method ?? "GET");
  const answer = await readJson(await send(context, call), options);
  if (!isRecord(answer))
    throw new ProviderError("provider_protocol", "no", {
      message: sentences.workflows.notComfyAnswer,
    });
  return answer as { [key: string]: Json };
}

/** Calls an endpoint with an empty response. */
export async function tell(context: CallContext, path: string, json: unknown): Promise<void> {
  await (await send(context, { path, method: "POST", json })).body?.cancel();
}
