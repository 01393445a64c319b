import { sentences } from "#contract/sentences/index.ts";
import { type CallContext, ProviderError } from "../../adapter.ts";
import { secretsOf } from "../../wire/connection.ts";
import { type Client, forgetToken, tokenOf } from "./entra.ts";

/**
 * Adapts the connection to the OpenAI client code: the v1 API's base URL, and a fetch that signs in
 * as Azure requires, with `api-key` or an Entra ID token. Its `secret` is the credential sent with
 * a request, so that no error repeats it.
 * @throws ProviderError
 */
export async function toOpenAiContext<C extends CallContext>(context: C): Promise<C> {
  const { connection } = context;
  const api = apiOf(connection.addresses.api ?? "");
  const login = connection.addresses.login ?? "";
  const client = clientOf(context);
  const secret = client ? await tokenOf(context, login, client) : keyOf(context);
  const signedFetch: typeof globalThis.fetch = async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : String(input));
    // The key goes only to the resource.
    if (!url.href.startsWith(`${api}/`)) return context.fetch(url, init);
    const { apiVersion } = connection.options;
    if (typeof apiVersion === "string" && apiVersion)
      url.searchParams.set("api-version", apiVersion);
    const headers = new Headers(init?.headers);
    headers.delete("authorization");
    headers.set(client ? "authorization" : "api-key", client ? `Bearer ${secret}` : secret);
    // The spread keeps the unpaid mark.
    const response = await context.fetch(url, { ...init, headers });
    if (response.status === 401 && client) forgetToken(login, client);
    return response;
  };
  const options = {
    ...connection.options,
    outputLimitField: "max_completion_tokens",
    models: undefined,
  };
  return {
    ...context,
    fetch: signedFetch,
    connection: { ...connection, secret, options, addresses: { ...connection.addresses, api } },
  };
}

/**
 * Accepts `https://NAME.openai.azure.com`, as shown in the portal, or the full URL of its v1 API.
 */
function apiOf(address: string): string {
  const given = address.replace(/\/+$/, "");
  return URL.canParse(given) && new URL(given).pathname === "/" ? `${given}/openai/v1` : given;
}

function keyOf(context: CallContext): string {
  const { key } = secretsOf(context.connection.secret);
  if (typeof key === "string" && key) return key;
  throw new ProviderError("provider_auth", "no", { message: sentences.connections.noKey });
}

function clientOf(context: CallContext): Client | null {
  const { signIn, tenant, clientId } = context.connection.options;
  if (signIn !== "Entra ID") return null;
  const { clientSecret } = secretsOf(context.connection.secret);
  if (
    typeof tenant === "string" &&
    typeof clientId === "string" &&
    typeof clientSecret === "string"
  )
    return { tenant, clientId, clientSecret };
  throw new ProviderError("provider_auth", "no", {
    message: sentences.cloud.entraIncomplete,
  });
}
