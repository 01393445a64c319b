import { sentences } from "#contract/sentences/index.ts";
import { type CallContext, ProviderError } from "../adapter.ts";
import { isRecord } from "./error-fields.ts";

export const baseUrl = ({ connection }: CallContext): string =>
  (connection.addresses.api ?? "").replace(/\/+$/, "");

/** @throws ProviderError provider_auth without a key: nothing is sent then */
export function keyOf({ connection }: CallContext): string {
  if (connection.secret) return connection.secret;
  throw new ProviderError("provider_auth", "no", { message: sentences.connections.noKey });
}

/** The secrets of a connection that has several, by the names of their fields. */
export function secretsOf(secret: string | null): Record<string, unknown> {
  try {
    const secrets: unknown = JSON.parse(secret ?? "{}");
    return isRecord(secrets) ? secrets : {};
  } catch {
    return {};
  }
}

/** For the messages of errors: the host that answered, and the secret to leave out of its words. */
export const answerer = (context: CallContext) => ({
  secret: context.connection.secret,
  host: new URL(baseUrl(context)).host,
});
