import type { OAuthClientMetadata, OAuthTokens } from "@modelcontextprotocol/client";
import type { ErrorCode } from "#contract/errors.ts";
import { sentences } from "#contract/sentences/index.ts";
import { requestBounds } from "#domain/schemas/json-scan.ts";
import { type CallContext, ProviderError } from "../../adapter.ts";
import { bounded } from "../../outbound/answer-bounds.ts";
import { unpaid } from "../../outbound/outbound.ts";
import { BlockedAddress } from "../../outbound/outbound-failure.ts";
import { redact } from "../../wire/error-fields.ts";
import type { Client, Place, SignedInGrant } from "./grant.ts";
import { isNamed, otherPlace, requireNamed, requireOwn } from "./named-place.ts";

/*
 * Single requests to an authorization server, built from the SDK's parts: the SDK's own `auth`
 * would start a new sign-in when a renewal fails, and repeat a refused code.
 */

type Sdk = typeof import("@modelcontextprotocol/client");
type Ask = { sdk: Sdk; fetchFn: typeof globalThis.fetch };

/** For responses with the server's metadata, our registration, or tokens. */
const maxAnswerBytes = 1024 ** 2;
/** Discovery requests up to six URLs in sequence. */
export const askMs = 20_000;

/**
 * Finds the server where people sign in for a tool server (RFC 9728, RFC 8414), and the scope to
 * request.
 * @throws ProviderError
 */
export async function findPlace(
  context: CallContext,
): Promise<Place & { scope?: string | undefined }> {
  const server = context.connection.addresses.server ?? "";
  return asking(context, "", async ({ sdk, fetchFn }) => {
    const challenge = sdk.extractWWWAuthenticateParams(await knock(server, fetchFn));
    const { resourceMetadataUrl } = challenge;
    if (resourceMetadataUrl) requireOwn(context, resourceMetadataUrl);
    const found = await sdk.discoverOAuthServerInfo(server, {
      fetchFn,
      ...(resourceMetadataUrl && { resourceMetadataUrl }),
    });
    const {
      authorizationServerUrl,
      authorizationServerMetadata: metadata,
      resourceMetadata,
    } = found;
    if (!isNamed(context, authorizationServerUrl))
      throw otherPlace(authorizationServerUrl, context.connection.addresses.signIn);
    const requestedResource = sdk.resourceUrlFromServerUrl(server);
    if (
      resourceMetadata &&
      !sdk.checkResourceAllowed({
        requestedResource,
        configuredResource: resourceMetadata.resource,
      })
    )
      throw new ProviderError("provider_protocol", "no", {
        message: sentences.signIn.metadataOfOther,
      });
    const scope = challenge.scope ?? resourceMetadata?.scopes_supported?.join(" ");
    const isLasting =
      scope &&
      metadata?.scopes_supported?.includes("offline_access") &&
      !scope.split(" ").includes("offline_access");
    return {
      issuer: authorizationServerUrl,
      metadata,
      resource: resourceMetadata?.resource,
      scope: isLasting ? `${scope} offline_access` : scope || undefined,
    };
  });
}

/**
 * Sends a request without a token: the server's refusal contains the location of its metadata
 * (specification, "Protected Resource Metadata Discovery").
 */
async function knock(server: string, fetchFn: typeof globalThis.fetch): Promise<Response> {
  const params = {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "bottega", version: "1" },
  };
  const response = await fetchFn(server, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params }),
    redirect: "manual",
  });
  await response.body?.cancel();
  return response;
}

/**
 * Whether the server accepts self-registration; without metadata, its default endpoint is tried.
 */
export const letsRegister = ({ metadata }: Place): boolean =>
  metadata === undefined || metadata.registration_endpoint !== undefined;

/**
 * Registers this program (RFC 7591). Null when the server doesn't allow it.
 * @throws ProviderError
 */
export async function register(
  place: Place & { scope?: string | undefined },
  redirectUrl: string,
  context: CallContext,
): Promise<Client | null> {
  if (!letsRegister(place)) return null;
  const methods = place.metadata?.token_endpoint_auth_methods_supported ?? ["none"];
  const clientMetadata: OAuthClientMetadata = {
    client_name: "Bottega",
    redirect_uris: [redirectUrl],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: methods.includes("none")
      ? "none"
      : (methods.find((one) => one.startsWith("client_secret_")) ?? "none"),
    application_type: ["localhost", "127.0.0.1", "[::1]"].includes(new URL(redirectUrl).hostname)
      ? "native"
      : "web",
  };
  return asking(context, "", async ({ sdk, fetchFn }) => {
    try {
      const asked = { metadata: place.metadata, clientMetadata, scope: place.scope, fetchFn };
      const { client_id, client_secret } = await sdk.registerClient(place.issuer, asked);
      return { client_id, client_secret, redirectUrl };
    } catch (error) {
      if (error instanceof sdk.RegistrationRejectedError && place.metadata === undefined)
        return null;
      throw error;
    }
  });
}

/**
 * Returns the sign-in page's URL, with PKCE.
 * @throws ProviderError
 */
export async function startAt(
  {
    client,
    place,
    scope,
    state,
  }: { client: Client; place: Place; scope: string | undefined; state: string },
  context: CallContext,
): Promise<{ url: string; verifier: string }> {
  return asking(context, "", async ({ sdk }) => {
    const asked = {
      metadata: place.metadata,
      clientInformation: client,
      redirectUrl: client.redirectUrl,
      scope,
      state,
      resource: place.resource,
    };
    const { authorizationUrl, codeVerifier } = await sdk.startAuthorization(place.issuer, asked);
    return { url: authorizationUrl.href, verifier: codeVerifier };
  });
}

/**
 * Exchanges the code a person returned with for tokens, after comparing the returned issuer with
 * the expected one.
 * @throws ProviderError
 */
export async function exchange(
  {
    client,
    place,
    verifier,
    code,
    iss,
  }: { client: Client; place: Place; verifier: string; code: string; iss: string | undefined },
  context: CallContext,
): Promise<OAuthTokens> {
  const secrets = JSON.stringify({ code, verifier, secret: client.client_secret });
  return asking(context, secrets, async ({ sdk, fetchFn }) =>
    usable(
      await sdk.exchangeAuthorization(place.issuer, {
        metadata: place.metadata,
        clientInformation: client,
        authorizationCode: code,
        iss,
        codeVerifier: verifier,
        redirectUri: client.redirectUrl,
        resource: place.resource,
        fetchFn,
      }),
    ),
  );
}

/**
 * Exchanges a refresh token, which may thereby be used up, for new tokens.
 * @throws ProviderError; its cause is `Refused` when the sign-in is over
 */
export async function refresh(
  { client, place, tokens }: SignedInGrant,
  context: CallContext,
): Promise<OAuthTokens> {
  const { access_token: access, refresh_token: refreshToken = "" } = tokens;
  const secrets = JSON.stringify({ access, refreshToken, secret: client.client_secret });
  return asking(context, secrets, async ({ sdk, fetchFn }) =>
    usable(
      await sdk.refreshAuthorization(place.issuer, {
        metadata: place.metadata,
        clientInformation: client,
        refreshToken,
        resource: place.resource,
        fetchFn,
      }),
    ),
  );
}

/**
 * Rejects token types other than Bearer (RFC 6749, section 7.1), and tokens that can't be sent in a
 * header (RFC 6750, section 2.1).
 */
function usable(tokens: OAuthTokens): OAuthTokens {
  if (
    tokens.token_type.toLowerCase() !== "bearer" ||
    !/^[\x21-\x7e]{1,16000}$/.test(tokens.access_token)
  )
    throw new ProviderError("provider_protocol", "no", {
      message: sentences.signIn.unusableToken,
    });
  return tokens;
}

/** The server's own refusals (RFC 6749, section 5.2), which no retry changes. */
const refusals: readonly string[] = ["invalid_grant", "invalid_client", "unauthorized_client"];
/** The cause of a ProviderError when the server has refused a grant that it once issued. */
export class Refused extends Error {
  override readonly name = "Refused";
}

/** When this fails, no part of a tool call has been sent: an error means "not accepted". */
async function asking<T>(
  context: CallContext,
  secrets: string,
  ask: (given: Ask) => Promise<T>,
): Promise<T> {
  const sdk = await import("@modelcontextprotocol/client");
  const signal = AbortSignal.timeout(askMs);
  const reach = context.signInFetch ?? context.fetch;
  const fetchFn: typeof globalThis.fetch = async (input, init) => {
    requireNamed(context, new URL(input instanceof Request ? input.url : input));
    return bounded(
      await reach(input, unpaid({ ...init, signal })),
      maxAnswerBytes,
      requestBounds,
      "The server of tools",
    );
  };
  try {
    return await ask({ sdk, fetchFn });
  } catch (error) {
    if (error instanceof ProviderError)
      throw new ProviderError(
        error.code,
        "no",
        { ...error.detail, ...adviceOf(error) },
        { cause: error },
      );
    if (signal.aborted) throw failed("provider_timeout", sentences.signIn.tooSlow, error);
    const errorMessage = redact(wordsOf(error, sdk), secrets).slice(0, 300);
    const isRefusal = error instanceof sdk.OAuthError && refusals.includes(error.code);
    throw failed(codeOf(error, sdk), errorMessage, isRefusal ? new Refused(errorMessage) : error);
  }
}

/** Advice for when the tool server has named an address in the private network. */
const adviceOf = ({ cause }: ProviderError): { advice?: string } =>
  cause instanceof BlockedAddress
    ? {
        advice: sentences.signIn.nameServer,
      }
    : {};

const failed = (code: ErrorCode, errorMessage: string, cause: unknown): ProviderError =>
  new ProviderError(
    code,
    "no",
    { message: sentences.signIn.failedBecause({ reason: errorMessage }).trim() },
    { cause },
  );

function codeOf(error: unknown, { OAuthError, RegistrationRejectedError }: Sdk): ErrorCode {
  if (error instanceof OAuthError)
    return statusIn(error) >= 500 ? "provider_overloaded" : "provider_auth";
  if (error instanceof RegistrationRejectedError)
    return error.status >= 500 ? "provider_overloaded" : "provider_auth";
  return "provider_protocol";
}

/**
 * Returns the server's own words. For anything but an OAuth error, only the status, because the SDK
 * repeats the whole response, which may contain our request.
 */
function wordsOf(error: unknown, { OAuthError, RegistrationRejectedError }: Sdk): string {
  if (error instanceof RegistrationRejectedError)
    return sentences.signIn.registrationRefused({ status: error.status });
  // Invalid JSON, or JSON of another form: the message would repeat it over several lines.
  if (!(error instanceof OAuthError))
    return error instanceof Error &&
      !(error instanceof SyntaxError) &&
      !error.message.includes("\n")
      ? error.message
      : sentences.signIn.unreadable;
  const status = statusIn(error);
  if (status > 0) return sentences.signIn.httpStatus({ status });
  if (error.message.includes("Raw body:")) return error.code;
  return error.message === error.code ? error.code : `${error.code}: ${error.message}`;
}

/**
 * Returns the HTTP status from the SDK's message for a response that isn't an OAuth error; 0 for
 * one that is.
 */
const statusIn = ({ message }: Error): number =>
  Number(/^HTTP (\d+): Invalid OAuth error response: /.exec(message)?.[1] ?? 0);
