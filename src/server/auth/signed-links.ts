import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import type { KeyRing } from "#engine/connections/key-ring.ts";

/** Signs the contents of a URL, so that it can be verified without a row. */
export type Signer = {
  sign(parts: readonly string[]): string;
  isRight(parts: readonly string[], signature: string): boolean;
};

/**
 * HMAC-SHA256 with a key derived from the active master key, so that all servers of one Bottega
 * sign alike. Signatures of another version stay valid while that version is kept.
 */
export function createSigner(ring: KeyRing): Signer {
  // JSON keeps different lists of words distinct.
  const signWith = (secret: Uint8Array, parts: readonly string[]): string =>
    createHmac("sha256", secret).update(JSON.stringify(parts)).digest("base64url");
  return {
    sign: (parts) => signWith(secretOf(ring.active().key), parts),
    isRight: (parts, signature) =>
      ring.keys().some(({ key }) => {
        const [right, given] = [
          Buffer.from(signWith(secretOf(key), parts)),
          Buffer.from(signature),
        ];
        return right.length === given.length && timingSafeEqual(right, given);
      }),
  };
}

/** Caches the secret derived for each version. */
const derived = new WeakMap<Uint8Array, Uint8Array>();
function secretOf(masterKey: Uint8Array): Uint8Array {
  const known = derived.get(masterKey);
  if (known) return known;
  const secret = Buffer.from(hkdfSync("sha256", masterKey, "", "bottega links", 32));
  derived.set(masterKey, secret);
  return secret;
}
