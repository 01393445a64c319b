import { isKeyRefusal, Problem } from "#contract/errors.ts";
import { connectionRoutes } from "#contract/routes/connections.ts";
import type { SignInOutcome, SignInPlace } from "#contract/sign-in.ts";
import { decide } from "#domain/people/policy.ts";
import { checkConnection } from "#engine/connections/catalogue.ts";
import { beginSignIn, finishSignIn, readState, takeSignIn } from "#engine/connections/sign-in.ts";
import { findScope } from "#store/people/scopes.ts";
import type { createLateAudit } from "../audit.ts";
import type { ClientConnection } from "../client-connection.ts";
import type { ServerDeps } from "../deps.ts";
import type { Handlers } from "../gate.ts";

/** Returns the redirect URL of a sign-in, which an app registered at the server must list. */
export function signInRedirectOf(
  { publicUrl }: ServerDeps["settings"],
  line: ClientConnection,
): string {
  const origin =
    publicUrl?.replace(/\/+$/, "") ?? `${line.encrypted ? "https" : "http"}://${line.host}`;
  return `${origin}${connectionRoutes.finishSignIn.path}`;
}

/** Sends a person to a connection's server to sign in, and receives them back. */
export function signInHandlers(
  deps: ServerDeps,
  audit: ReturnType<typeof createLateAudit>,
): Handlers<"beginSignIn" | "finishSignIn"> {
  const { store, settings } = deps;

  /**
   * Finishes the sign-in. An error is shown with the connection, on the screen the person returns
   * to.
   */
  async function comeBack(
    connectionId: string,
    given: Parameters<typeof finishSignIn>[2],
  ): Promise<SignInOutcome> {
    const failure = await finishSignIn(deps, connectionId, given).then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
    if (failure)
      deps.log.warn(
        { connectionId, error: String(failure.error) },
        "a person's sign-in at a connection's server failed",
      );
    const works = await checkConnection(deps, connectionId).then(
      () => true,
      () => false,
    );
    return failure ? outcomeOf(failure.error, given.error) : works ? "done" : "unusable";
  }

  return {
    async beginSignIn({ actor, params, body, line }) {
      const { connectionId } = params;
      const redirectUrl = signInRedirectOf(settings, line);
      return {
        url: await beginSignIn(deps, {
          connectionId,
          userId: actor.userId,
          redirectUrl,
          from: body.from,
        }),
      };
    },
    async finishSignIn({ actor, query, line, c }) {
      const { state = "", code, error, iss } = query;
      const back = readState(state);
      const taken = await takeSignIn(deps, { state, userId: actor.userId });
      const id = taken ?? back.connectionId ?? "";
      // Rights may have changed meanwhile, and an expired state proves nothing.
      const scope = await findScope(store.db, "connection", id, actor.userId);
      const mayManage = decide(actor, "connection:manage", scope) === "allowed";
      const connection = mayManage && scope.connection ? { id, ...scope.connection } : undefined;
      const outcome = taken && connection ? await comeBack(taken, { code, error, iss }) : "over";
      if (outcome === "done" || outcome === "unusable")
        await audit(actor.userId, "sign-in-connection", id, line.address);
      return c.redirect(screenAfterSignIn(connection, back.from, outcome), 303);
    },
  };
}

type ReturnedConnection = { id: string; scope: string; scopeId: string | null };

/**
 * Returns the screen that a person returns to: always a path of ours, and without any text from the
 * other server.
 */
function screenAfterSignIn(
  connection: ReturnedConnection | undefined,
  from: SignInPlace,
  outcome: SignInOutcome,
): string {
  const path =
    connection?.scope === "project"
      ? `/projects/${encodeURIComponent(connection.scopeId ?? "")}`
      : from === "admin" && connection?.scope !== "user"
        ? "/admin/connections"
        : "/settings/connections";
  return `${path}?${new URLSearchParams({ ...(connection && { connection: connection.id }), signIn: outcome })}`;
}

/**
 * Classifies a failed exchange for the person. The server's own words are shown with the
 * connection.
 */
function outcomeOf(error: unknown, message: string | undefined): SignInOutcome {
  if (message === "access_denied") return "denied";
  if (!(error instanceof Problem)) return "failed";
  if (error.code === "conflict" || error.code === "not_found") return "over";
  if (isKeyRefusal(error.code) || error.code === "provider_protocol") return "refused";
  return error.code.startsWith("provider_") ? "unreachable" : "failed";
}
