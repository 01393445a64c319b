import { createHash } from "node:crypto";
import type { AuthorizationServerMetadata, OAuthTokens } from "@modelcontextprotocol/client";
import type { CallContext } from "../../adapter.ts";
import { secretsOf } from "../../wire/connection.ts";
import { textOf } from "../../wire/values.ts";
import { isNamed } from "./named-place.ts";

/**
 * Our client identity at an authorization server. `isOwn`: an app that a person registered there;
 * its secret stays with the connection.
 */
export type Client = {
  client_id: string;
  client_secret?: string | undefined;
  redirectUrl: string;
  isOwn?: true;
};
/** The authorization server that a tool server names, and its metadata. */
export type Place = {
  issuer: string;
  metadata?: AuthorizationServerMetadata | undefined;
  resource?: string | undefined;
};
/** The grant of a sign-in. `endsAt`: wall clock, ms; absent when the server states no expiry. */
export type SignedInGrant = {
  client: Client;
  place: Place;
  tokens: OAuthTokens;
  endsAt?: number | undefined;
};

/** The stored state of a connection's sign-in: sealed, and read only by this kind. */
export type Grant = {
  /** The server URL it belongs to; a different one invalidates all of it. */
  server: string;
  held?: SignedInGrant | undefined;
  /** For the person currently signing in. */
  pending?: { client: Client; place: Place; verifier: string } | undefined;
  /**
   * Where the connection's own app last signed in: its secret goes nowhere else, regardless of the
   * server's later metadata.
   */
  appAt?: { issuer: string; client: string } | undefined;
  /**
   * Which server is renewing the tokens now. Only one of all our servers may, because a refresh
   * token works once. `endsAt`: wall clock, ms.
   */
  renewal?: { id: string; endsAt: number } | undefined;
  /**
   * Why the last sign-in failed or ended, as a sentence. It is ignored if the connection has since
   * named a different app.
   */
  problem?: { said: string; client: string } | undefined;
};

/** Returns the app that a person registered at the server, if the connection names one. */
export function ownClient(
  { connection: { options, secret } }: CallContext,
  redirectUrl: string,
): Client | undefined {
  const { clientId } = options;
  if (typeof clientId !== "string" || clientId === "") return undefined;
  return {
    client_id: clientId,
    client_secret: textOf(secretsOf(secret).clientSecret),
    redirectUrl,
    isOwn: true,
  };
}

/** Returns the client with the current secret, so that a new secret serves the existing sign-in. */
export const withSecret = (context: CallContext, client: Client): Client =>
  client.isOwn ? (ownClient(context, client.redirectUrl) ?? client) : client;

/** Records a problem as one of the app that the connection names. */
export const problemOf = (said: string, context: CallContext): NonNullable<Grant["problem"]> => ({
  said,
  client: ownMark(context),
});

export const ownMark = (context: CallContext): string =>
  createHash("sha256")
    .update(JSON.stringify(ownClient(context, "") ?? null))
    .digest("hex");

/** Removes the secret, which the connection stores. */
export const toKept = ({ client_secret, ...client }: Client): Client =>
  client.isOwn ? client : { ...client, client_secret };

export async function loadGrant(context: CallContext): Promise<Grant | undefined> {
  return readGrant((await context.grant?.load()) ?? null, context);
}

/**
 * Replaces the stored grant with the result of `change`, or leaves it if that is undefined.
 * `change` may be called several times.
 */
export async function changeGrant(
  context: CallContext,
  change: (grant: Grant) => Grant | undefined,
): Promise<void> {
  const server = context.connection.addresses.server ?? "";
  await context.grant?.update((text) => {
    const next = change(readGrant(text, context) ?? { server });
    return next ? JSON.stringify(next) : null;
  });
}

/**
 * Ignores a grant for another server URL, and grants of an app or a sign-in server other than the
 * ones the connection names now.
 */
function readGrant(text: string | null, context: CallContext): Grant | undefined {
  const read = text ? (JSON.parse(text) as Grant) : undefined;
  if (!read || read.server !== context.connection.addresses.server) return undefined;
  const own = ownClient(context, "");
  const isOurs = (client: Client): boolean =>
    client.isOwn ? client.client_id === own?.client_id : own === undefined;
  const isGood = ({ client, place }: Pick<SignedInGrant, "client" | "place">): boolean =>
    isOurs(client) && isNamed(context, place.issuer);
  const { held, pending, problem } = read;
  return {
    ...read,
    held: held && isGood(held) ? held : undefined,
    pending: pending && isGood(pending) ? pending : undefined,
    problem: problem?.client === ownMark(context) ? problem : undefined,
  };
}

/** Returns the secrets of a grant that no message may repeat, in a form that `redact` accepts. */
const secretsOfGrant = ({ held, pending }: Grant): string =>
  JSON.stringify({
    access: held?.tokens.access_token,
    refresh: held?.tokens.refresh_token,
    verifier: pending?.verifier,
    client: held?.client.client_secret,
    pendingClient: pending?.client.client_secret,
  });

/** Returns the secrets of the current grant. */
export async function grantSecrets(context: CallContext): Promise<string | null> {
  const grant = await loadGrant(context);
  return grant ? secretsOfGrant(grant) : null;
}
