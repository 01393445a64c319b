import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { Problem } from "#contract/errors.ts";
import { sentences } from "#contract/sentences/index.ts";
import type { SecretPlace, Secrets } from "../deps.ts";

const algorithm = "aes-256-gcm";
const nonceBytes = 12;
const tagBytes = 16;
const keyBytes = 32;

/**
 * Envelope encryption: each secret has a data key of its own, wrapped by the master key. Format, in base64url joined by
 * dots: version, master key's version, wrapped data key, sealed text; each of the last two is nonce, tag, ciphertext.
 * @throws Problem unavailable from `open` when the master key is another one
 */
export function createSecrets(master: { version: number; key: Uint8Array }): Secrets {
  if (master.key.length !== keyBytes) throw new Error(`the master key must have ${keyBytes} bytes`);
  const label = (place: SecretPlace): Buffer =>
    Buffer.from(JSON.stringify([place.table, place.rowId, place.owner]));
  return {
    seal(plain, place) {
      const dataKey = randomBytes(keyBytes);
      const wrapped = encrypt(master.key, dataKey, label(place));
      const sealed = encrypt(dataKey, Buffer.from(plain), label(place));
      return [
        "1",
        String(master.version),
        wrapped.toString("base64url"),
        sealed.toString("base64url"),
      ].join(".");
    },
    open(text, place) {
      const [format, , wrapped, sealed] = text.split(".");
      try {
        if (format !== "1" || !wrapped || !sealed)
          throw new Error("unknown format of a sealed secret");
        const dataKey = decrypt(master.key, Buffer.from(wrapped, "base64url"), label(place));
        return decrypt(dataKey, Buffer.from(sealed, "base64url"), label(place)).toString();
      } catch (cause) {
        throw new Problem(
          "unavailable",
          {
            message: sentences.connections.otherMasterKey,
          },
          { cause },
        );
      }
    },
  };
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
