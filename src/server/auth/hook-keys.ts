import {
  createPrivateKey,
  createPublicKey,
  hkdfSync,
  type KeyObject,
  sign as signWith,
} from "node:crypto";
import type { KeyRing } from "#engine/connections/key-ring.ts";

/** Signs webhooks so that the receiver needs no shared secret. */
export type HookKeys = {
  /** Ed25519 (RFC 8032), in hexadecimal. */
  sign(message: string): string;
  /** The public keys as a JWK set (RFC 7517, 8037), the current one first. */
  published(): { keys: JsonWebKey[] };
};

/** The bytes before the 32 of an Ed25519 key in PKCS #8 (RFC 8410, section 7). */
const pkcs8 = Buffer.from("302e020100300506032b657004220420", "hex");

/**
 * Derives a signing key from each version of the master key, so that all servers of one Bottega
 * sign alike.
 */
export function createHookKeys(ring: KeyRing): HookKeys {
  return {
    sign: (message) =>
      signWith(null, Buffer.from(message), keyOf(ring.active().key)).toString("hex"),
    published() {
      const { version } = ring.active();
      const newestFirst = ring
        .keys()
        .toSorted((a, b) => Number(b.version === version) - Number(a.version === version));
      return {
        keys: newestFirst.map(({ version, key }) => {
          const { kty, crv, x } = createPublicKey(keyOf(key)).export({ format: "jwk" });
          return { kty, crv, x, kid: String(version), use: "sig", alg: "EdDSA" };
        }),
      };
    },
  };
}

/** Caches the key derived for each version. */
const derived = new WeakMap<Uint8Array, KeyObject>();
function keyOf(masterKey: Uint8Array): KeyObject {
  const known = derived.get(masterKey);
  if (known) return known;
  const seed = Buffer.from(hkdfSync("sha256", masterKey, "", "bottega webhooks of runs", 32));
  const key = createPrivateKey({
    key: Buffer.concat([pkcs8, seed]),
    format: "der",
    type: "pkcs8",
  });
  derived.set(masterKey, key);
  return key;
}
