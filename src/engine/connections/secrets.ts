import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { Problem } from "#contract/errors.ts";
import { sentences } from "#contract/sentences/index.ts";
import type { SecretPlace, Secrets } from "../deps.ts";
import type { KeyRing, MasterKey } from "./key-ring.ts";

const algorithm = "aes-256-gcm";
const nonceBytes = 12;
const tagBytes = 16;
const keyBytes = 32;

/**
 * Envelope encryption: each secret has its own data key, wrapped by a version of the master key.
 * The format is base64url parts joined by dots: format version, master key version, wrapped data
 * key, sealed text. The last two are each nonce, tag, ciphertext.
 * @throws Problem unavailable from `open` and `rewrap` if the secret was sealed with another master
 *   key
 */
export function createSecrets(ring: KeyRing): Secrets {
  const label = (place: SecretPlace): Buffer =>
    Buffer.from(JSON.stringify([place.table, place.rowId, place.owner]));
  return {
    seal(plain, place) {
      const dataKey = randomBytes(keyBytes);
      const sealed = encrypt(dataKey, Buffer.from(plain), label(place));
      return join(ring.active(), dataKey, sealed, label(place));
    },
    open(text, place) {
      const { dataKey, sealed } = unwrap(text, label(place));
      return orOtherKey(() => decrypt(dataKey, sealed, label(place)).toString());
    },
    rewrap(text, place) {
      const { version, dataKey, sealed } = unwrap(text, label(place));
      const active = ring.active();
      return version === active.version ? text : join(active, dataKey, sealed, label(place));
    },
  };

  function unwrap(text: string, place: Uint8Array) {
    return orOtherKey(() => {
      const [format, named, wrapped, sealed] = text.split(".");
      if (format !== "1" || !wrapped || !sealed)
        throw new Error("unknown format of a sealed secret");
      const version = Number(named);
      const master = ring.find(version);
      if (!master) throw new Error(`version ${version} of the master key is not here`);
      const dataKey = decrypt(master.key, Buffer.from(wrapped, "base64url"), place);
      return { version, dataKey, sealed: Buffer.from(sealed, "base64url") };
    });
  }
}

/** The version of the master key that opens a sealed secret. */
export const versionOf = (sealed: string): number => Number(sealed.split(".")[1]);

const join = (
  master: MasterKey,
  dataKey: Uint8Array,
  sealed: Uint8Array,
  label: Uint8Array,
): string =>
  [
    "1",
    String(master.version),
    encrypt(master.key, dataKey, label).toString("base64url"),
    Buffer.from(sealed).toString("base64url"),
  ].join(".");

function orOtherKey<T>(work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw new Problem("unavailable", { message: sentences.connections.otherMasterKey }, { cause });
  }
}

function encrypt(key: Uint8Array, plain: Uint8Array, label: Uint8Array): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce);
  cipher.setAAD(label);
  const body = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]);
}

function decrypt(key: Uint8Array, sealed: Buffer, label: Uint8Array): Buffer {
  const decipher = createDecipheriv(algorithm, key, sealed.subarray(0, nonceBytes));
  decipher.setAAD(label);
  decipher.setAuthTag(sealed.subarray(nonceBytes, nonceBytes + tagBytes));
  return Buffer.concat([decipher.update(sealed.subarray(nonceBytes + tagBytes)), decipher.final()]);
}
