import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";

/** Signs the contents of a URL, so that it can be verified without a row. */
export type Signer = {
  sign(words: readonly string[]): string;
  isRight(words: readonly string[], signature: string): boolean;
};

/** HMAC-SHA256 with a key of its own, derived from the master key: every server of one Bottega signs alike. */
export function createSigner(masterKey: Uint8Array): Signer {
  const secret = Buffer.from(hkdfSync("sha256", masterKey, "", "bottega links", 32));
  // As JSON no two lists of words read the same.
  const sign = (words: readonly string[]): string =>
    createHmac("sha256", secret).update(JSON.stringify(words)).digest("base64url");
  return {
    sign,
    isRight(words, signature) {
      const [right, given] = [Buffer.from(sign(words)), Buffer.from(signature)];
      return right.length === given.length && timingSafeEqual(right, given);
    },
  };
}
