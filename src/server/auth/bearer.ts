import { createHash, randomBytes } from "node:crypto";

/** Identifies our keys to people and to secret scanners. */
const mark = "bottega_";
/** The part of a key that is stored to recognize it: 24 of its 192 bits. */
const shownCharacters = mark.length + 6;

/** Creates an API key of 192 random bits. Only its hash is stored. */
export function newKey(): { token: string; prefix: string; hash: string } {
  const token = `${mark}${randomBytes(24).toString("hex")}`;
  return { token, prefix: token.slice(0, shownCharacters), hash: hashKey(token) };
}

/** All bits of a key are random, so one round of a fast hash is as good as many of a slow one. */
export const hashKey = (token: string): string => createHash("sha256").update(token).digest("hex");

/**
 * Reads the key from the Authorization header, as `Bearer …` (RFC 6750) or as `Key …` from fal's
 * client; otherwise from the `x-api-key` header of Anthropic's clients. Other schemes are ignored,
 * because they may belong to a proxy.
 * @returns undefined without a key; "" for a malformed one
 */
export function readBearer(headers: Headers): string | undefined {
  const given = /^(?:bearer|key)(?:\s+(.*))?$/i.exec(headers.get("authorization")?.trim() ?? "");
  return given ? (given[1]?.trim() ?? "") : (headers.get("x-api-key")?.trim() ?? undefined);
}
