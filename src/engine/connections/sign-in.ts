import { createHash, randomBytes } from "node:crypto";
import { Problem } from "#contract/errors.ts";
import type { JsonObject } from "#contract/json.ts";
import { sentences } from "#contract/sentences/index.ts";
import { type SignInPlace, signInPlaces } from "#contract/sign-in.ts";
import type { Adapter, CallContext } from "#providers/adapter.ts";
import { beginGrant, takeGrantState } from "#store/models/connection-grants.ts";
import { getConnection } from "#store/models/connections.ts";
import type { EngineDeps } from "../deps.ts";
import { adapterOf, callContext, toProblem } from "./open-connection.ts";

/** Long enough to find a password for the other server's sign-in page. */
const signInMs = 15 * 60_000;
const callMs = 30_000;

const hashOf = (state: string): string => createHash("sha256").update(state).digest("hex");

async function toSignIn(
  deps: EngineDeps,
  connectionId: string,
): Promise<{ signIn: NonNullable<Adapter["signIn"]>; context: CallContext }> {
  const connection = await getConnection(deps.store.db, connectionId);
  if (!connection) throw new Problem("not_found");
  const adapter = await adapterOf(deps, connection.kind);
  const { field, is } = adapter.signInWhen ?? {};
  if (!adapter.signIn || !field || (connection.options as JsonObject)[field] !== is)
    throw new Problem("conflict", { message: sentences.connections.noSignIn });
  return {
    signIn: adapter.signIn,
    context: callContext(deps, adapter, connection, AbortSignal.timeout(callMs)),
  };
}

/**
 * A state carries the page to return to, so that this works even with an expired state. Its hash in
 * the store decides what it permits.
 */
const toState = (connectionId: string, from: SignInPlace): string =>
  [randomBytes(24).toString("base64url"), from, connectionId].join(".");

/** Reads the return page from a state. Anyone can forge the text, so it proves nothing. */
export function readState(state: string): { connectionId: string | undefined; from: SignInPlace } {
  const [, from, connectionId] = state.split(".");
  return { connectionId, from: signInPlaces.find((place) => place === from) ?? "settings" };
}

/**
 * Begins a sign-in for a connection. The person returns to `redirectUrl` with a state that only
 * they can use, once.
 * @returns the address of the sign-in page
 * @throws Problem with the server's error
 */
export async function beginSignIn(
  deps: EngineDeps,
  asked: { connectionId: string; userId: string; redirectUrl: string; from: SignInPlace },
): Promise<string> {
  const { connectionId, userId, redirectUrl } = asked;
  const { signIn, context } = await toSignIn(deps, connectionId);
  const state = toState(connectionId, asked.from);
  const url = await signIn.begin({ redirectUrl, state }, context).catch((error) => {
    throw toProblem(error, connectionId);
  });
  await deps.commit(({ tx, at }) =>
    beginGrant(tx, { connectionId, userId, stateHash: hashOf(state), at }),
  );
  return url;
}

/**
 * The connection that this person began to sign in for; undefined if the state belongs to someone
 * else, is used or has expired.
 */
export async function takeSignIn(
  deps: EngineDeps,
  back: { state: string; userId: string },
): Promise<string | undefined> {
  const since = deps.clock.now() - signInMs;
  return deps.commit(({ tx }) =>
    takeGrantState(tx, { stateHash: hashOf(back.state), userId: back.userId, since }),
  );
}

/**
 * Exchanges the code that the person returned with, and saves the grant.
 * @throws Problem with the server's error
 */
export async function finishSignIn(
  deps: EngineDeps,
  connectionId: string,
  given: { code?: string | undefined; error?: string | undefined; iss?: string | undefined },
): Promise<void> {
  const { signIn, context } = await toSignIn(deps, connectionId);
  await signIn.finish(given, context).catch((error) => {
    throw toProblem(error, connectionId);
  });
}
