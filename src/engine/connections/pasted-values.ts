/** What a web page or an editor leaves in a copied text and nobody sees. */
const invisible = /[\u200B-\u200D\u2060\uFEFF]/g;
const quoted = /^(?:"(.*)"|'(.*)'|`(.*)`|“(.*)”|‘(.*)’)$/s;

/**
 * A key as it was pasted, less its header's name, its quotes and its line breaks. JSON, assignments (NAME=value) and other
 * schemes than Bearer are secrets of their own form and stay.
 * @param keepsScheme the key goes into a header of the person's choice, with all that was typed
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

/** Endpoints that people paste where the address before them is asked for. */
const endpoint =
  /\/(?:(?:chat\/)?completions|responses|embeddings|messages|images\/(?:generations|edits)|audio\/(?:speech|transcriptions))\/*(?:[?#].*)?$/;

/** An address as it was pasted, less the endpoint and the slashes at its end. */
export const cleanAddress = (pasted: string): string =>
  pasted.replace(endpoint, "").replace(/\/+$/, "");
