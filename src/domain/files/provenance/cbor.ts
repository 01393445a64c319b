import { decodeFirst, Tokenizer, Type } from "cborg";
import { Malformed } from "./file-bytes.ts";

/** Claims have some tens of these. This also limits the depth, for which the library has no limit. */
const maxMapsAndLists = 2_000;

/** Limits maps and lists, and skips tags, so that a date or an address reads as its text. */
class Tokens extends Tokenizer {
  #mapsAndLists = 0;

  override next() {
    let token = super.next();
    while (token.type === Type.tag) token = super.next();
    if (token.type === Type.map || token.type === Type.array) this.#mapsAndLists += 1;
    if (this.#mapsAndLists > maxMapsAndLists) throw new Malformed("too many maps and lists");
    return token;
  }
}

/**
 * Reads the first value of these bytes (RFC 8949).
 * @returns maps as `Map`
 * @throws Malformed for bytes that aren't CBOR, are truncated, or have too many values
 */
export function readCbor(bytes: Uint8Array): unknown {
  // The tokenizer has no defaults. Models' seeds have up to 64 bits.
  const options = { useMaps: true, allowBigInt: true };
  try {
    return decodeFirst(bytes, { ...options, tokenizer: new Tokens(bytes, options) })[0];
  } catch (error) {
    // The library has no error of its own.
    throw new Malformed("not readable as CBOR", { cause: error });
  }
}
