import type { Json } from "#contract/json.ts";
import { sentences } from "#contract/sentences/index.ts";
import { type CallContext, ProviderError } from "../../adapter.ts";
import { type SignedIn, signIn } from "../../aws/signed-fetch.ts";
import { isRecord } from "../../wire/error-fields.ts";
import { readJson, readOptions, toHttpError } from "../../wire/http-errors.ts";
import { classify } from "./errors.ts";

/** `api` is the runtime; `control` lists models. */
export const addressOf = ({ connection }: CallContext, name: "api" | "control" | "s3"): string =>
  (connection.addresses[name] ?? "").replace(/\/+$/, "");

export const signInToBedrock = <Context extends CallContext>(
  context: Context,
): Promise<SignedIn & { context: Context }> => signIn(context, "bedrock");

/**
 * Reads a JSON object with GET, through a signed-in context.
 * @throws ProviderError
 */
export async function getObject(
  context: CallContext,
  url: string,
): Promise<Record<string, unknown>> {
  const response = await context.fetch(url, {
    headers: { accept: "application/json" },
    signal: context.signal,
  });
  if (!response.ok) throw await toHttpError(response, readOptions(context, "GET"), classify);
  const body = await readJson(response, readOptions(context, "GET"));
  if (isRecord(body)) return body;
  throw new ProviderError("provider_protocol", "no", {
    message: sentences.connections.notBedrock,
  });
}

/**
 * Makes the one paid POST of a run, with a JSON response.
 * @throws ProviderError
 */
export async function postJson(
  context: CallContext,
  url: string,
  body: unknown,
  maxBytes?: number,
): Promise<{ answer: Json; headers: Headers }> {
  const response = await context.fetch(url, {
    method: "POST",
    headers: { accept: "application/json", "content-type": "application/json" },
    body: JSON.stringify(body),
    signal: context.signal,
  });
  if (!response.ok) throw await toHttpError(response, readOptions(context, "POST"), classify);
  return {
    answer: await readJson(response, readOptions(context, "POST"), maxBytes),
    headers: response.headers,
  };
}
