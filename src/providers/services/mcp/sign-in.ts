import { sentences } from "#contract/sentences/index.ts";
import { type CallContext, ProviderError } from "../../adapter.ts";
import { exchange, findPlace, letsRegister, register, startAt } from "./authorization.ts";
import {
  type Client,
  changeGrant,
  type Grant,
  loadGrant,
  ownClient,
  ownMark,
  type Place,
  problemOf,
  toKept,
  withSecret,
} from "./grant.ts";

export const signInNeeded = (message = sentences.signIn.needed): ProviderError =>
  new ProviderError("provider_auth", "no", {
    message,
    advice: sentences.signIn.press,
    needsSignIn: true,
  });

/** The redirect URL, which an app registered at the server must list. */
function registerYourself(redirectUrl?: string): ProviderError {
  const address = redirectUrl
    ? `the redirect address ${redirectUrl}`
    : "the redirect address that Bottega shows for this connection";
  const message = sentences.signIn.registrationNeeded({ address });
  return new ProviderError("provider_auth", "no", {
    message,
    advice: sentences.signIn.thenSignIn,
    needsSignIn: true,
  });
}

/**
 * Explains what to do before anything is sent to a server where nobody is signed in.
 * @throws ProviderError
 */
export async function requireSignIn(context: CallContext): Promise<void> {
  const grant = await loadGrant(context);
  if (grant?.held) return;
  if (grant?.problem) throw signInNeeded(grant.problem.said);
  if (!ownClient(context, "") && !letsRegister(await findPlace(context))) throw registerYourself();
  throw signInNeeded();
}

/** The longest sign-in page URL; it contains the server's scopes. */
const maxAddress = 8_000;

/**
 * Returns the URL where a person signs in (specification, "Authorization"), found through the
 * server's metadata, for a self-registered app or the connection's own.
 */
export async function beginSignIn(
  given: { redirectUrl: string; state: string },
  context: CallContext,
): Promise<string> {
  const { redirectUrl, state } = given;
  const { scope, ...place } = await findPlace(context);
  const known = await loadGrant(context);
  const client =
    ownClient(context, redirectUrl) ??
    clientAt(place, redirectUrl, known) ??
    (await register({ ...place, scope }, redirectUrl, context));
  if (!client) throw registerYourself(redirectUrl);
  if (
    client.isOwn &&
    known?.appAt?.client === ownMark(context) &&
    known.appAt.issuer !== place.issuer
  )
    throw movedAway(place);
  const { url, verifier } = await startAt({ client, place, scope, state }, context);
  if (!/^https?:/.test(url) || url.length > maxAddress)
    throw new ProviderError("provider_protocol", "no", {
      message: sentences.signIn.noPage,
    });
  // The previous grant stays valid until the person returns.
  await changeGrant(context, (grant) => ({
    ...grant,
    pending: { client: toKept(client), place, verifier },
  }));
  return url;
}

/** A compromised server could redirect the app's secret. */
const movedAway = ({ issuer }: Place): ProviderError =>
  new ProviderError("provider_protocol", "no", {
    message: sentences.signIn.serverChanged({ issuer: issuer.slice(0, 200) }),
    advice: sentences.signIn.enterNewSecret,
  });

/**
 * Returns our existing client at this server: if it was registered with a different redirect URL, a
 * person would not be sent back here. A client without a completed sign-in isn't reused, because
 * the server may have forgotten it.
 */
function clientAt(
  { issuer }: Place,
  redirectUrl: string,
  known: Grant | undefined,
): Client | undefined {
  if (!known?.held || known.held.place.issuer !== issuer) return undefined;
  const { client } = known.held;
  return client.redirectUrl === redirectUrl && !client.isOwn ? client : undefined;
}

/** The parameters a person returned with: a code, or the server's error. */
type CallbackParameters = {
  code?: string | undefined;
  error?: string | undefined;
  iss?: string | undefined;
};

/**
 * Handles the redirect back. An error is saved with the sign-in, for the next check.
 * @throws ProviderError
 */
export async function finishSignIn(
  { code, error, iss }: CallbackParameters,
  context: CallContext,
): Promise<void> {
  const pending = (await loadGrant(context))?.pending;
  if (!pending) throw signInNeeded(sentences.signIn.over);
  const client = withSecret(context, pending.client);
  try {
    if (!code) throw refusedBy(error);
    const tokens = await exchange({ ...pending, client, code, iss }, context);
    const held = {
      client: pending.client,
      place: pending.place,
      tokens,
      endsAt: endOf(tokens, context),
    };
    const appAt = client.isOwn && { issuer: pending.place.issuer, client: ownMark(context) };
    await changeGrant(context, ({ server }) => ({ server, held, ...(appAt && { appAt }) }));
  } catch (failure) {
    const problem =
      failure instanceof ProviderError ? problemOf(failure.message, context) : undefined;
    await changeGrant(context, (grant) => ({ ...grant, pending: undefined, problem }));
    throw failure;
  }
}

/** Only an error's name is shown (RFC 6749, section 4.1.2.1): its description may be forged. */
function refusedBy(error: string | undefined): ProviderError {
  if (error === "access_denied") return signInNeeded(sentences.signIn.denied);
  const name = error && /^[a-z_]{1,60}$/.test(error) ? error : "";
  return signInNeeded(sentences.signIn.failed({ error: name }));
}

/** Ten years, in seconds. */
const maxEnds = 315_360_000;
/** Wall clock, ms. */
export const endOf = (
  { expires_in }: { expires_in?: number | undefined },
  { clock }: CallContext,
): number | undefined =>
  Number.isFinite(expires_in)
    ? clock.now() + Math.min(Number(expires_in), maxEnds) * 1_000
    : undefined;
