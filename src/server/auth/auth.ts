import { hkdfSync } from "node:crypto";
import { betterAuth } from "better-auth";
import { v7 as uuid } from "uuid";
import type { User } from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import { limits } from "#contract/limits.ts";
import { sentences } from "#contract/sentences/index.ts";
import type { KeyRing } from "#engine/connections/key-ring.ts";
import type { UserRow } from "#store/database/schema.ts";
import type { Store } from "#store/database/store.ts";
import { findSession, toUser } from "#store/people/people.ts";
import { readSessionCookie } from "./session-cookie.ts";

/** A signed-in person and the session they came with. */
type InSession = { user: User; sessionToken: string };

/** A session is prolonged when it is this much younger than at its beginning, by the library. */
const prolongMs = 24 * 60 * 60_000;

/**
 * Sign-in on the library's own tables. Its HTTP endpoints are not mounted: our routes call it, so that policy, limits and
 * errors are the same as everywhere. There is no cookie cache: a revoked session ends at once.
 */
export type Auth = {
  hashPassword(password: string): Promise<string>;
  /** @throws Problem not_signed_in, the same for a wrong password, an unknown address and a suspended person */
  signIn(
    email: string,
    password: string,
    request: { headers: Headers; encrypted: boolean },
  ): Promise<{ user: User; cookies: string[] }>;
  signOut(request: { headers: Headers; encrypted: boolean }): Promise<string[]>;
  /** Whose session this is; undefined for none, an ended one, or a suspended person's. */
  identify(request: { headers: Headers; encrypted: boolean }): Promise<InSession | undefined>;
  /** @throws Problem invalid_input when it is not this person's password */
  checkPassword(userId: string, password: string, field?: string): Promise<void>;
};

export function createAuth(deps: { store: Store; masterKeys: KeyRing; publicUrl?: string }): Auth {
  const ring = deps.masterKeys;
  const signers = new Map<Uint8Array, Lines>();
  /** What signs sessions with a version of the master key. */
  const linesOf = (key: Uint8Array): Lines => {
    const known = signers.get(key);
    if (known) return known;
    const secret = Buffer.from(hkdfSync("sha256", key, "", "bottega session", 32)).toString("hex");
    const open = (encrypted: boolean) =>
      createLibrary(deps.store, secret, encrypted, deps.publicUrl);
    const opened = { secret, encrypted: open(true), plain: open(false) };
    signers.set(key, opened);
    return opened;
  };
  const lineOf = (lines: Lines, request: { encrypted: boolean }) =>
    request.encrypted ? lines.encrypted : lines.plain;
  /** The session's token, and the lines whose version signed it: a session lives on while its version is kept. */
  const readToken = (request: { headers: Headers; encrypted: boolean }) => {
    const cookie = request.headers.get("cookie");
    for (const { key } of ring.keys()) {
      const lines = linesOf(key);
      const token = readSessionCookie(cookie, cookieName(request.encrypted), lines.secret);
      if (token) return { token, lines };
    }
    return { token: undefined, lines: linesOf(ring.active().key) };
  };
  return {
    async hashPassword(password) {
      return (await linesOf(ring.active().key).plain.$context).password.hash(password);
    },
    async signIn(email, password, request) {
      const refused = new Problem("not_signed_in", {
        message: sentences.account.wrongSignIn,
      });
      const answer = await lineOf(linesOf(ring.active().key), request)
        .api.signInEmail({
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
      const { headers } = await lineOf(readToken(request).lines, request).api.signOut({
        headers: request.headers,
        returnHeaders: true,
      });
      return headers.getSetCookie();
    },
    async identify(request) {
      // What nearly every request needs is one row. The library takes twelve times as long (0.38 ms of a core), so it is asked only when something is to be done: a session to prolong or to end.
      const { token, lines } = readToken(request);
      const known = token && (await findSession(deps.store.read, token));
      if (known && known.expiresAt - Date.now() > limits.sessionMs - prolongMs)
        return known.user.status === "active"
          ? { user: known.user, sessionToken: token }
          : undefined;
      const found = await lineOf(lines, request).api.getSession({
        headers: request.headers,
        query: { disableCookieCache: true },
      });
      if (!found) return undefined;
      const user = toUser(found.user as unknown as UserRow);
      return user.status === "active" ? { user, sessionToken: found.session.token } : undefined;
    },
    async checkPassword(userId, password, field = "current") {
      const { password: hashing } = await linesOf(ring.active().key).plain.$context;
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

/** Browsers drop a Secure cookie that comes over http, and __Host- asks for Secure: each line has its own cookie. */
type Lines = Record<"encrypted" | "plain", ReturnType<typeof createLibrary>> & { secret: string };

const cookieName = (encrypted: boolean): string =>
  encrypted ? "__Host-bottega-session" : "bottega-session";

function createLibrary(
  store: Store,
  secret: string,
  encrypted: boolean,
  publicUrl: string | undefined,
) {
  const column = (type: "string") => ({ type, required: false, input: false }) as const;
  return betterAuth({
    baseURL: publicUrl ?? "http://127.0.0.1",
    secret,
    database: { db: store.db as never, type: store.engine === "postgres" ? "postgres" : "sqlite" },
    telemetry: { enabled: false },
    logger: { disabled: true },
    // Accounts are made by set-up and by one-time links, in our own transactions.
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      minPasswordLength: 1,
      maxPasswordLength: 1024,
    },
    user: {
      additionalFields: {
        role: column("string"),
        status: column("string"),
        locale: column("string"),
        timeZone: column("string"),
        theme: column("string"),
        titleModel: column("string"),
        defaults: column("string"),
      },
    },
    session: {
      expiresIn: limits.sessionMs / 1000,
      updateAge: prolongMs / 1000,
      cookieCache: { enabled: false },
    },
    rateLimit: { enabled: false },
    advanced: {
      cookiePrefix: "bottega",
      useSecureCookies: false,
      disableCSRFCheck: true,
      disableOriginCheck: true,
      database: { generateId: () => uuid() },
      cookies: {
        session_token: {
          name: cookieName(encrypted),
          attributes: { secure: encrypted, httpOnly: true, sameSite: "lax", path: "/" },
        },
      },
    },
  });
}
