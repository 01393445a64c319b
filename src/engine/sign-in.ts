import { createHash, randomBytes } from "node:crypto";
import { Problem } from "#contract/errors.ts";
import type { JsonObject } from "#contract/json.ts";
import type { Adapter, CallContext } from "#providers/adapter.ts";
import { beginGrant, takeGrantState } from "#store/connection-grants.ts";
import { getConnection } from "#store/connections.ts";
import type { EngineDeps } from "./deps.ts";
import { adapterOf, callContext, toProblem } from "./open-connection.ts";

/** A person at a page of another server: longer than anyone looks for a password. */
const signInMs = 15 * 60_000;
const callMs = 30_000;

const hashOf = (state: string): string => createHash("sha256").update(state).digest("hex");

async function toSignIn(deps: EngineDeps, connectionId: string): Promise<{ signIn: NonNullable<Adapter["signIn"]>; context: CallContext }> {
  const connection = await getConnection(deps.store.db, connectionId);
  if (!connection) throw new Problem("not_found");
  const adapter = await adapterOf(deps, connection.kind);
  const { field, is } = adapter.signInWhen ?? {};
  if (!adapter.signIn || !field || (connection.options as JsonObject)[field] !== is)
    throw new Problem("conflict", { message: "This connection asks for no sign-in." });
  return { signIn: adapter.signIn, context: callContext(deps, adapter, connection, AbortSignal.timeout(callMs)) };
}

/** Where a person signs in for a connection; they come back to `redirectUrl` with a state that is theirs, once. @throws Problem what the server said */
export async function beginSignIn(deps: EngineDeps, asked: { connectionId: string; userId: string; redirectUrl: string }): Promise<string> {
  const { connectionId, userId, redirectUrl } = asked;
  const { signIn, context } = await toSignIn(deps, connectionId);
  const state = randomBytes(24).toString("base64url");
  const url = await signIn.begin({ redirectUrl, state }, context).catch((error) => {
    throw toProblem(error, connectionId);
  });
  await deps.commit((tx) => beginGrant(tx, { connectionId, userId, stateHash: hashOf(state), at: deps.clock.now() }));
  return url;
}

/** The connection for which this person had gone to sign in. @throws Problem forbidden for a state that is not theirs, used, or too old */
export async function takeSignIn(deps: EngineDeps, back: { state: string; userId: string }): Promise<string> {
  const since = deps.clock.now() - signInMs;
  const id = await deps.commit((tx) => takeGrantState(tx, { stateHash: hashOf(back.state), userId: back.userId, since }));
  if (!id) throw new Problem("forbidden", { message: "This sign-in is not yours, or it is over. Begin it again from the connection." });
  return id;
}

/** What they came back with, exchanged and kept. @throws Problem what the server said */
export async function finishSignIn(
  deps: EngineDeps,
  connectionId: string,
  given: { code: string; iss?: string | undefined },
): Promise<void> {
  const { signIn, context } = await toSignIn(deps, connectionId);
  await signIn.finish(given, context).catch((error) => {
    throw toProblem(error, connectionId);
  });
}
