import type { CallContext } from "../../adapter.ts";
import { baseUrl } from "../../wire/connection.ts";
import { readOptions, toHttpError, unlessPage } from "../../wire/http-errors.ts";
import { classify, inWords } from "./errors.ts";

/** Returns the URL of an API path on this connection. */
export const endpoint = (context: CallContext, path: string) => `${baseUrl(context)}${path}`;

export const authorization = (context: CallContext): Record<string, string> =>
  context.connection.secret ? { authorization: `Bearer ${context.connection.secret}` } : {};

/**
 * Makes one request of the API. The response is 2xx and not a web page.
 * @throws ProviderError
 */
export async function call(
  context: CallContext,
  path: string,
  request: { method: "GET" | "POST"; headers?: Record<string, string>; body?: BodyInit },
): Promise<Response> {
  const response = await context.fetch(endpoint(context, path), {
    method: request.method,
    headers: { accept: "application/json, */*", ...authorization(context), ...request.headers },
    ...(request.body !== undefined && { body: request.body }),
    ...(request.body instanceof ReadableStream && { duplex: "half" }),
    signal: context.signal,
  });
  if (!response.ok)
    throw inWords(
      await toHttpError(response, readOptions(context, request.method), classify),
      new URL(baseUrl(context)).host,
    );
  return unlessPage(response, request.method);
}

/** Posts JSON. Undefined fields are left out. */
export const postJson = (context: CallContext, path: string, body: { [field: string]: unknown }) =>
  call(context, path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
