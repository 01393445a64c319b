import { createHash } from "node:crypto";
import type { AuthorizationServerMetadata, OAuthTokens } from "@modelcontextprotocol/client";
import type { CallContext } from "../../adapter.ts";
import { secretsOf } from "../../wire/connection.ts";
import { textOf } from "../../wire/values.ts";
import { isNamed } from "./named-place.ts";

/** As whom we come to an authorization server. `isOwn`: an app that a person registered there; its secret stays with the connection. */
export type Client = {
  client_id: string;
  client_secret?: string | undefined;
  redirectUrl: string;
  isOwn?: true;
};
/** The authorization server that a server of tools names, and what it says of itself. */
export type Place = {
  issuer: string;
  metadata?: AuthorizationServerMetadata | undefined;
  resource?: string | undefined;
};
/** What was given at a sign-in. `endsAt`: wall clock, ms; absent where the server names no end. */
export type SignedInGrant = {
  client: Client;
  place: Place;
  tokens: OAuthTokens;
  endsAt?: number | undefined;
};

/** What is kept of the sign-in of a connection: sealed, and read by this kind alone. */
export type Grant = {
  /** The address that it is for: another one makes all of it void. */
  server: string;
  held?: SignedInGrant | undefined;
  /** Of the person who is on the way there. */
  pending?: { client: Client; place: Place; verifier: string } | undefined;
  /** Where the connection's own app was last signed in with: its secret goes nowhere else, regardless of the server's later metadata. */
  appAt?: { issuer: string; client: string } | undefined;
  /** Who renews the tokens at this moment, for one of all our servers may: a refresh token holds once. `endsAt`: wall clock, ms. */
  renewal?: { id: string; endsAt: number } | undefined;
  /** Why the last sign-in failed or ended, as a sentence; of another app than the connection names now it says nothing. */
  problem?: { said: string; client: string } | undefined;
};

/** The app that a person registered at the server, where the connection names one. */
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

/** The client with the current secret: a new secret serves the existing sign-in. */
export const withSecret = (context: CallContext, client: Client): Client =>
  client.isOwn ? (ownClient(context, client.redirectUrl) ?? client) : client;

/** Marks what went wrong as the fate of the app that the connection names. */
export const problemOf = (said: string, context: CallContext): NonNullable<Grant["problem"]> => ({
  said,
  client: ownMark(context),
});

export const ownMark = (context: CallContext): string =>
  createHash("sha256")
    .update(JSON.stringify(ownClient(context, "") ?? null))
    .digest("hex");

/** Without the secret that the connection keeps. */
export const toKept = ({ client_secret, ...client }: Client): Client =>
  client.isOwn ? client : { ...client, client_secret };

export async function loadGrant(context: CallContext): Promise<Grant | undefined> {
  return readGrant((await context.grant?.load()) ?? null, context);
}

/** What `change` makes of what is kept at this moment; nothing, where it gives undefined. It may be asked more than once. */
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

/** Of another address nothing counts, and nothing that was given to another app, or at another sign-in server, than the connection names now. */
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

/** What a grant holds that no message may repeat, as `redact` takes several. */
const secretsOfGrant = ({ held, pending }: Grant): string =>
  JSON.stringify({
    access: held?.tokens.access_token,
    refresh: held?.tokens.refresh_token,
    verifier: pending?.verifier,
    client: held?.client.client_secret,
    pendingClient: pending?.client.client_secret,
  });

/** The same of the grant of now. */
export async function grantSecrets(context: CallContext): Promise<string | null> {
  const grant = await loadGrant(context);
  return grant ? secretsOfGrant(grant) : null;
}
