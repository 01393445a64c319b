import type {
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import { type CallContext, ProviderError } from "../adapter.ts";
import { redact } from "../error-words.ts";
import { unpaid } from "../outbound.ts";
import { limited } from "./limited.ts";

/** What is kept of a sign-in. Another address of the server makes all of it void. */
type Grant = {
  server: string;
  redirectUrl: string;
  client?: StoredOAuthClientInformation | undefined;
  tokens?: StoredOAuthTokens | undefined;
  /** Wall clock, ms; absent where the server names no end. */
  endsAt?: number | undefined;
  verifier?: string | undefined;
  discovery?: OAuthDiscoveryState | undefined;
};

/** So long before its end a token is not sent any more. */
const marginMs = 60_000;
/** What a server says of itself, of us as its client, and of tokens. */
const answerBytesMost = 1024 ** 2;
/** One renewal at a time of each connection: many servers take a refresh token once. */
const renewing = new Map<string, Promise<Grant>>();

export const signInNeeded = (message = "Sign in at the server first."): ProviderError =>
  new ProviderError("provider_auth", "no", { message, needsSignIn: true });

/** Discovery, registration of this program as a client, and PKCE are the SDK's (basic/authorization of the specification). */
export async function beginSignIn(given: { redirectUrl: string; state: string }, context: CallContext): Promise<string> {
  const server = context.connection.addresses.server ?? "";
  const known = await loadGrant(context);
  // Registered under another address of ours, the client would not be sent back here.
  const client = known?.redirectUrl === given.redirectUrl ? known.client : undefined;
  const grant: Grant = { server, redirectUrl: given.redirectUrl, client };
  const seen: { url?: URL } = {};
  await authorize(
    grant,
    context,
    { forceReauthorization: true },
    { state: given.state, onRedirect: (url) => Object.assign(seen, { url }) },
  );
  if (!seen.url) throw new ProviderError("provider_protocol", "no", { message: "This server names no place to sign in." });
  if (seen.url.protocol !== "https:" && seen.url.protocol !== "http:")
    throw new ProviderError("provider_protocol", "no", { message: "This server names no web page to sign in at." });
  // What was given before holds until the person comes back.
  await context.grant?.save(JSON.stringify({ ...grant, tokens: known?.tokens, endsAt: known?.endsAt }));
  return seen.url.href;
}

export async function finishSignIn({ code, iss }: { code: string; iss?: string | undefined }, context: CallContext): Promise<void> {
  const grant = await loadGrant(context);
  if (!grant?.verifier) throw signInNeeded("This sign-in is over. Begin it again.");
  await authorize(grant, context, { authorizationCode: code, ...(iss !== undefined && { iss }) });
  await context.grant?.save(JSON.stringify({ ...grant, verifier: undefined }));
}

/** The access token of now, renewed where it is near its end. Throws ProviderError when a person has to sign in (again). */
export async function accessToken(context: CallContext): Promise<string> {
  const grant = await loadGrant(context);
  if (!grant?.tokens) throw signInNeeded();
  if (grant.endsAt === undefined || grant.endsAt - marginMs > context.clock.now()) return grant.tokens.access_token;
  const { id } = context.connection;
  const renewal = renewing.get(id) ?? renew(grant, context).finally(() => renewing.delete(id));
  renewing.set(id, renewal);
  return (await renewal).tokens!.access_token;
}

async function renew(grant: Grant, context: CallContext): Promise<Grant> {
  if (!grant.tokens?.refresh_token) throw signInNeeded("The sign-in at the server has ended. Sign in again.");
  const before = grant.tokens.access_token;
  try {
    await authorize(grant, context, {});
    if (grant.tokens?.access_token === before) throw signInNeeded("The sign-in at the server has ended. Sign in again.");
  } catch (error) {
    // Another server of ours may have renewed it in this moment, and used the refresh token up.
    const now = await loadGrant(context);
    if (now?.tokens && now.tokens.access_token !== before) return now;
    throw error;
  }
  await context.grant?.save(JSON.stringify(grant));
  return grant;
}

async function loadGrant({ grant, connection }: CallContext): Promise<Grant | undefined> {
  const text = await grant?.load();
  const read = text ? (JSON.parse(text) as Grant) : undefined;
  return read?.server === connection.addresses.server ? read : undefined;
}

type Options = { authorizationCode?: string; iss?: string; forceReauthorization?: boolean };

async function authorize(
  grant: Grant,
  context: CallContext,
  options: Options,
  redirect: { state?: string; onRedirect?: (url: URL) => void } = {},
): Promise<void> {
  const { auth, OAuthError } = await import("@modelcontextprotocol/client");
  const provider = toProvider(grant, context, redirect);
  const fetchFn: typeof fetch = async (input, init) =>
    limited(await context.fetch(input, unpaid({ ...init, signal: context.signal })), answerBytesMost);
  const before = secretsOf(grant, options.authorizationCode);
  try {
    await auth(provider, { serverUrl: grant.server, fetchFn, ...options });
  } catch (error) {
    if (error instanceof ProviderError) throw error;
    const said = redact(redact(wordsOf(error, OAuthError), before), secretsOf(grant)).slice(0, 300);
    throw new ProviderError("provider_auth", "no", { message: `Signing in at the server failed. ${said}`.trim() }, { cause: error });
  }
}

/** A server's own words; of what is no OAuth error only its status, for the SDK repeats all that came, which may hold what was sent. */
function wordsOf(error: unknown, OAuthError: typeof import("@modelcontextprotocol/client").OAuthError): string {
  if (!(error instanceof Error) || error instanceof SyntaxError) return "";
  if (!(error instanceof OAuthError)) return error.message;
  const [, status] = /^(?:HTTP (\d+): )?Invalid OAuth error response: /.exec(error.message) ?? [];
  if (status !== undefined) return `It answers HTTP ${status}.`;
  if (error.message.includes("Raw body:")) return error.code;
  return error.message === error.code ? error.code : `${error.code}: ${error.message}`;
}

/** As `redact` takes several. */
const secretsOf = ({ tokens, verifier, client }: Grant, code?: string): string =>
  JSON.stringify({ access: tokens?.access_token, refresh: tokens?.refresh_token, verifier, code, client: client?.client_secret });

/** What the sign-in of now holds that no message may repeat, as `redact` takes several. */
export async function grantSecrets(context: CallContext): Promise<string | null> {
  const grant = await loadGrant(context);
  return grant ? secretsOf(grant) : null;
}

function toProvider(
  grant: Grant,
  { clock }: CallContext,
  { state, onRedirect }: { state?: string; onRedirect?: (url: URL) => void },
): OAuthClientProvider {
  const clientMetadata: OAuthClientMetadata = {
    client_name: "Bottega",
    redirect_uris: [grant.redirectUrl],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  };
  return {
    redirectUrl: grant.redirectUrl,
    clientMetadata,
    ...(state !== undefined && { state: () => state }),
    clientInformation: () => grant.client,
    saveClientInformation(client) {
      grant.client = client;
    },
    tokens: () => grant.tokens,
    saveTokens(tokens) {
      // One that is not given anew holds on (RFC 6749, section 6).
      grant.tokens = { ...tokens, refresh_token: tokens.refresh_token ?? grant.tokens?.refresh_token };
      grant.endsAt = tokens.expires_in === undefined ? undefined : clock.now() + Number(tokens.expires_in) * 1_000;
    },
    redirectToAuthorization: (url) => onRedirect?.(url),
    saveCodeVerifier(verifier) {
      grant.verifier = verifier;
    },
    codeVerifier: () => grant.verifier ?? "",
    saveDiscoveryState(discovery) {
      grant.discovery = discovery;
    },
    discoveryState: () => grant.discovery,
    invalidateCredentials(scope) {
      if (scope === "all" || scope === "client") grant.client = undefined;
      if (scope === "all" || scope === "tokens") grant.tokens = undefined;
      if (scope === "all" || scope === "verifier") grant.verifier = undefined;
      if (scope === "all" || scope === "discovery") grant.discovery = undefined;
    },
  };
}
