import { createHmac, timingSafeEqual } from "node:crypto";

export const cookieName = (encrypted: boolean): string =>
  encrypted ? "__Host-bottega-session" : "bottega-session";

/** The library prolongs a session that has aged this much. */
export const prolongMs = 24 * 60 * 60_000;

/**
 * Reads the token from a session cookie that the sign-in library has signed: `token.signature`,
 * percent-encoded, where the signature is an HMAC-SHA256 of the token in base64 (better-call 1.4,
 * crypto.mjs). The first cookie of the name counts, as in the library.
 * @returns undefined without the cookie, or when its signature isn't ours
 */
export function readSessionCookie(
  cookies: string | null,
  name: string,
  secret: string,
): string | undefined {
  const pair = (cookies ?? "")
    .split(";")
    .find((candidate) => candidate.slice(0, candidate.indexOf("=")).trim() === name);
  const value = pair && decode(pair.slice(pair.indexOf("=") + 1).trim());
  const dot = value ? value.lastIndexOf(".") : -1;
  if (!value || dot < 1) return undefined;
  const token = value.slice(0, dot);
  const expected = createHmac("sha256", secret).update(token).digest();
  const given = Buffer.from(value.slice(dot + 1), "base64");
  return given.length === expected.length && timingSafeEqual(given, expected) ? token : undefined;
}

function decode(value: string): string | undefined {
  try {
    return decodeURIComponent(value);
  } catch {
    // A stray percent sign: not our cookie.
    return undefined;
  }
}
