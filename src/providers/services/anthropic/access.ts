import { sentences } from "#contract/sentences/index.ts";
import { type CallContext, ProviderError } from "../../adapter.ts";
import { isRecord } from "../../wire/error-words.ts";
import { readJson, toHttpError } from "../../wire/http-errors.ts";
import { classify } from "./errors.ts";

/** The version of the API that every request names. */
const apiVersion = "2023-06-01";

export const baseUrl = (context: CallContext) =>
  (context.connection.addresses.api ?? "").replace(/\/+$/, "");

/** @throws ProviderError `provider_auth` without a key: nothing is sent then */
export function keyOf({ connection }: CallContext): string {
  if (connection.secret) return connection.secret;
  throw new ProviderError("provider_auth", "no", { message: sentences.connections.noKey });
}

/** A GET of the API as a JSON object. Throws ProviderError. */
export async function getObject(
  context: CallContext,
  path: string,
): Promise<Record<string, unknown>> {
  const response = await context.fetch(`${baseUrl(context)}${path}`, {
    headers: {
      accept: "application/json",
      "x-api-key": keyOf(context),
      "anthropic-version": apiVersion,
    },
    signal: context.signal,
  });
  const asked = {
    method: "GET",
    secret: context.connection.secret,
    now: context.clock.now(),
    parse: context.parseJson,
  };
  if (!response.ok) throw await toHttpError(response, asked, classify);
  const body = await readJson(response, asked);
  if (isRecord(body)) return body;
  throw new ProviderError("provider_protocol", "no", {
    message: sentences.connections.notAnthropic,
  });
}
