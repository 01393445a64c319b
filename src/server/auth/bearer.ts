import { createHash, randomBytes } from "node:crypto";

/** Says to people and to secret scanners whose key it is. */
const mark = "bottega_";
/** What of a key is kept to recognise it by: 24 of its 192 bits. */
const shownCharacters = mark.length + 6;

/** A new key for programs: 192 random bits, of which only the hash is kept. */
export function newKey(): { token: string; prefix: string; hash: string } {
  const token = `${mark}${randomBytes(24).toString("hex")}`;
  return { token, prefix: token.slice(0, shownCharacters), hash: hashKey(token) };
}

/** A key is random in all its bits: one round of a fast hash is as good as many of a slow one. */
export const hashKey = (token: string): string => createHash("sha256").update(token).digest("hex");

/**
 * What an Authorization header bears (RFC 6750), or, as fal's client says it, `Key …`; else the `x-api-key` of Anthropic's clients.
 * Another scheme is not for us: it may be a proxy's.
 * @returns undefined without one; "" for one that is no key at all
 */
export function readBearer(headers: Headers): string | undefined {
  const given = /^(?:bearer|key)(?:\s+(.*))?$/i.exec(headers.get("authorization")?.trim() ?? "");
  return given ? (given[1]?.trim() ?? "") : (headers.get("x-api-key")?.trim() ?? undefined);
}
