import { hkdfSync } from "node:crypto";
import type { User } from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import { limits } from "#contract/limits.ts";
import { sentences } from "#contract/sentences/index.ts";
import type { KeyRing } from "#engine/connections/key-ring.ts";
import type { UserRow } from "#store/database/schema.ts";
import type { Store } from "#store/database/store.ts";
import { findSession, toUser } from "#store/people/people.ts";
import { cookieName, prolongMs, readSessionCookie } from "./session-cookie.ts";
import type { SignInLibrary } from "./sign-in-library.ts";

/** A signed-in person and the session of the request. */
type InSession = { user: User; sessionToken: string };

/**
 * Sign-in on the library's own tables. The library's HTTP endpoints aren't mounted: our routes call
 * it, so that policy, limits and errors are the same as everywhere. Sessions have no cookie cache,
 * so a revoked one ends at once. The library is a sixth of the code a server loads, and loads on
 * first use: to sign in or out, and to prolong or end a session.
 */
export type Auth = {
  hashPassword(password: string): Promise<string>;
  /**
   * @throws Problem not_signed_in, equal for a wrong password, an unknown address and a suspended
   *   person
   */
  signIn(
    email: string,
    password: string,
    request: { headers: Headers; encrypted: boolean },
  ): Promise<{ user: User; cookies: string[] }>;
  signOut(request: { headers: Headers; encrypted: boolean }): Promise<string[]>;
  /**
   * Returns the session's person; undefined without a session, or when it has expired or its person
   * is suspended.
   */
  identify(request: { headers: Headers; encrypted: boolean }): Promise<InSession | undefined>;
  /** @throws Problem invalid_input when the password is wrong */
  checkPassword(userId: string, password: string, field?: string): Promise<void>;
};

type AuthDeps = { store: Store; masterKeys: KeyRing; publicUrl?: string };

export function createAuth(deps: AuthDeps): Auth {
  const ring = deps.masterKeys;
  const signers = new Map<Uint8Array, SessionSigner>();
  const signerOf = (key: Uint8Array): SessionSigner => {
    const signer = signers.get(key) ?? createSessionSigner(deps, key);
    signers.set(key, signer);
    return signer;
  };
  const newest = (): SessionSigner => signerOf(ring.active().key);
  const passwords = async () => (await (await newest().library(false)).$context).password;
  /**
   * The session's token and its signer: a session stays valid while its version of the key is kept.
   */
  const readToken = (request: { headers: Headers; encrypted: boolean }) => {
    const cookie = request.headers.get("cookie");
    for (const { key } of ring.keys()) {
      const signer = signerOf(key);
      const token = readSessionCookie(cookie, cookieName(request.encrypted), signer.secret);
      if (token) return { token, signer };
    }
    return undefined;
  };
  return {
    async hashPassword(password) {
      return (await passwords()).hash(password);
    },
    async signIn(email, password, request) {
      const refused = new Problem("not_signed_in", {
        message: sentences.account.wrongSignIn,
      });
      const library = await newest().library(request.encrypted);
      const answer = await library.api
        .signInEmail({
          body: { email, password },
          headers: request.headers,
          returnHeaders: true,
        })
        .catch((error: unknown) => {
          if (error instanceof Error && error.name === "APIError") throw refused;
          throw error;
        });
      const row = await deps.store.db
        .selectFrom("user")
        .selectAll()
        .where("id", "=", answer.response.user.id)
        .executeTakeFirstOrThrow();
      if (row.status !== "active") {
        await deps.store.db.deleteFrom("session").where("userId", "=", row.id).execute();
        throw refused;
      }
      return { user: toUser(row), cookies: answer.headers.getSetCookie() };
    },
    async signOut(request) {
      const signer = readToken(request)?.signer ?? newest();
      const library = await signer.library(request.encrypted);
      const { headers } = await library.api.signOut({
        headers: request.headers,
        returnHeaders: true,
      });
      return headers.getSetCookie();
    },
    async identify(request) {
      // Nearly every request needs just one row. The library takes twelve times as long (0.38 ms of
      // a core), so it is used only to prolong or end a session.
      const signed = readToken(request);
      if (!signed) return undefined;
      const { token, signer } = signed;
      const known = await findSession(deps.store.read, token);
      if (known && known.expiresAt - Date.now() > limits.sessionMs - prolongMs)
        return known.user.status === "active"
          ? { user: known.user, sessionToken: token }
          : undefined;
      const found = await (await signer.library(request.encrypted)).api.getSession({
        headers: request.headers,
        query: { disableCookieCache: true },
      });
      if (!found) return undefined;
      const user = toUser(found.user as unknown as UserRow);
      return user.status === "active" ? { user, sessionToken: found.session.token } : undefined;
    },
    async checkPassword(userId, password, field = "current") {
      const hashing = await passwords();
      const account = await deps.store.db
        .selectFrom("account")
        .select("password")
        .where("userId", "=", userId)
        .where("providerId", "=", "credential")
        .executeTakeFirst();
      const right = account?.password
        ? await hashing.verify({ hash: account.password, password })
        : false;
      if (!right)
        throw new Problem("invalid_input", {
          field,
          message: sentences.account.wrongPassword,
        });
    },
  };
}

/**
 * Signs sessions with one version of the master key. Browsers drop a Secure cookie set over http,
 * and the __Host- prefix requires Secure, so http and https have separate cookies.
 */
type SessionSigner = { secret: string; library(encrypted: boolean): Promise<SignInLibrary> };

function createSessionSigner(deps: AuthDeps, key: Uint8Array): SessionSigner {
  const secret = Buffer.from(hkdfSync("sha256", key, "", "bottega session", 32)).toString("hex");
  const opened = new Map<boolean, Promise<SignInLibrary>>();
  const open = async (encrypted: boolean): Promise<SignInLibrary> => {
    const { createSignInLibrary } = await import("./sign-in-library.ts");
    return createSignInLibrary(deps.store, secret, encrypted, deps.publicUrl);
  };
  return {
    secret,
    library(encrypted) {
      const library = opened.get(encrypted) ?? open(encrypted);
      opened.set(encrypted, library);
      return library;
    },
  };
}
