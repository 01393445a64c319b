/** Invisible characters that web pages and editors leave in copied text. */
const invisible = /[\u200B-\u200D\u2060\uFEFF]/g;
const quoted = /^(?:"(.*)"|'(.*)'|`(.*)`|“(.*)”|‘(.*)’)$/s;

/**
 * Strips the header name, quotes and line breaks from a pasted key. JSON, assignments (NAME=value)
 * and schemes other than Bearer are secrets in their own right and stay.
 * @param keepsScheme true if the key goes into a custom header, exactly as typed
 */
export function cleanKey(pasted: string, keepsScheme: boolean): string {
  let key = pasted.replace(invisible, "").trim();
  if (key.startsWith("{") || /^[a-z_]\w*=[^=]/i.test(key)) return key;
  key = key.replace(/\s*[\r\n]+\s*/g, "");
  for (let before = ""; before !== key; ) {
    before = key;
    const inside = quoted
      .exec(key)
      ?.slice(1)
      .find((part) => part !== undefined);
    key = (inside ?? key).trim();
    if (!keepsScheme) key = key.replace(/^(?:authorization\s*:\s*)?bearer\s+/i, "");
  }
  return key;
}

/** Endpoints that people paste when the form asks for the base address. */
const endpoint =
  /\/(?:(?:chat\/)?completions|responses|embeddings|messages|images\/(?:generations|edits)|audio\/(?:speech|transcriptions))\/*(?:[?#].*)?$/;

/** Strips the endpoint and the trailing slashes from a pasted address. */
export const cleanAddress = (pasted: string): string =>
  pasted.replace(endpoint, "").replace(/\/+$/, "");
