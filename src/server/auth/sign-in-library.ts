import { betterAuth } from "better-auth";
import { v7 as uuid } from "uuid";
import { limits } from "#contract/limits.ts";
import type { Store } from "#store/database/store.ts";
import { cookieName, prolongMs } from "./session-cookie.ts";

export type SignInLibrary = ReturnType<typeof createSignInLibrary>;

/**
 * Configures the library to sign and read sessions with `secret`. `encrypted` selects the cookie
 * for https requests.
 */
export function createSignInLibrary(
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
    // Only the setup and one-time links create accounts, in our own transactions.
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
