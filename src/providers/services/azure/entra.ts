import { sentences } from "#contract/sentences/index.ts";
import { type CallContext, ProviderError } from "../../adapter.ts";
import { unpaid } from "../../outbound/outbound.ts";
import { isRecord } from "../../wire/error-fields.ts";
import { readJson, toHttpError } from "../../wire/http-errors.ts";
import { createKeptTokens, type Token } from "../../wire/kept-tokens.ts";

/** The app registration used to sign in. */
export type Client = { tenant: string; clientId: string; clientSecret: string };

/** Access to Azure OpenAI's data plane. */
const scope = "https://cognitiveservices.azure.com/.default";
const kept = createKeptTokens();
const ownerOf = (login: string, client: Client) => [login, client];

/**
 * Requests a token by the client credentials grant (RFC 6749, 4.4), at `login` +
 * /{tenant}/oauth2/v2.0/token.
 * @throws ProviderError `provider_auth` with Entra ID's message
 */
export const tokenOf = (context: CallContext, login: string, client: Client): Promise<string> =>
  kept.get(ownerOf(login, client), context.clock.now(), () => askForToken(context, login, client));

/** Drops a refused token, so that the next call requests another. */
export const forgetToken = (login: string, client: Client): boolean =>
  kept.forget(ownerOf(login, client));

async function askForToken(
  context: CallContext,
  login: string,
  { tenant, clientId, clientSecret }: Client,
): Promise<Token> {
  const body = new URLSearchParams({
    grant_type: "client_credentials",
    client_id: clientId,
    client_secret: clientSecret,
    scope,
  });
  const url = `${login.replace(/\/+$/, "")}/${encodeURIComponent(tenant)}/oauth2/v2.0/token`;
  const headers = {
    accept: "application/json",
    "content-type": "application/x-www-form-urlencoded",
  };
  const response = await context.fetch(
    url,
    unpaid({ method: "POST", headers, body: String(body), signal: context.signal }),
  );
  const asked = { method: "GET", secret: clientSecret, now: context.clock.now() };
  // 400 and 401 (invalid_client, unauthorized_client and similar) are about the credentials.
  if (!response.ok)
    throw await toHttpError(response, asked, (_, status) =>
      status < 500 && status !== 429 ? "provider_auth" : undefined,
    );
  const answer = await readJson(response, asked);
  if (!isRecord(answer) || typeof answer.access_token !== "string") {
    throw new ProviderError("provider_protocol", "no", {
      message: sentences.cloud.entraNoToken,
    });
  }
  const livesMs = typeof answer.expires_in === "number" ? answer.expires_in * 1_000 : 0;
  return { value: answer.access_token, until: context.clock.now() + livesMs };
}
