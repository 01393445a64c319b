import { sentences } from "#contract/sentences/index.ts";
import { type CallContext, ProviderError } from "../adapter.ts";
import { isRecord } from "./error-fields.ts";

export const baseUrl = ({ connection }: CallContext): string =>
  (connection.addresses.api ?? "").replace(/\/+$/, "");

/** @throws ProviderError provider_auth without a key, before anything is sent */
export function keyOf({ connection }: CallContext): string {
  if (connection.secret) return connection.secret;
  throw new ProviderError("provider_auth", "no", { message: sentences.connections.noKey });
}

/** Returns the secrets of a connection that has several, by field name. */
export function secretsOf(secret: string | null): Record<string, unknown> {
  try {
    const secrets: unknown = JSON.parse(secret ?? "{}");
    return isRecord(secrets) ? secrets : {};
  } catch {
    return {};
  }
}

/** For error messages: the host that answered, and the secret to redact. */
export const answerer = (context: CallContext) => ({
  secret: context.connection.secret,
  host: new URL(baseUrl(context)).host,
});
