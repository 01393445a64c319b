/**
 * Converts text to characters that the synthesizer can read: Latin letters without diacritics,
 * digits and plain punctuation.
 */
export function toSpeakable(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(/[‘’‚‛′]/g, "'")
    .replace(/[“”„«»″]/g, '"')
    .replace(/[‐‑‒–—―]/g, " - ")
    .replace(/…/g, "...")
    .replace(/ß/g, "ss")
    .replace(/[æÆ]/g, "ae")
    .replace(/[œŒ]/g, "oe")
    .replace(/[øØ]/g, "o")
    .replace(/[łŁ]/g, "l")
    .replace(/[^\x20-\x7e\s]/g, " ")
    .replace(/[<>{}[\]\\^`|~_*#]/g, " ")
    .replace(/[ \t]+/g, " ");
}

/** Whether the text has letters of other scripts, which would be skipped silently. */
export const hasUnspeakable = (text: string): boolean =>
  /[\p{L}\p{N}]/u.test(text.normalize("NFKD").replace(/[\p{Script=Latin}\p{M}0-9]/gu, ""));

/** The longest piece synthesized at once: canceling waits at most for this many characters. */
const pieceCharacters = 300;

/**
 * Splits text into sentences with something to say, in order. A very long one is cut at commas or
 * between words.
 */
export function splitSentences(text: string): string[] {
  const sentences = text.split(/(?<=[.!?]["')\]]*)\s+(?=["'(]?[A-Z0-9])|\n\s*\n|\n(?=\s*[-•\d])/);
  return sentences
    .flatMap((sentence) => cutLong(sentence.replace(/\s+/g, " ").trim()))
    .filter((sentence) => /[A-Za-z0-9]/.test(sentence));
}

function cutLong(sentence: string): string[] {
  if (sentence.length <= pieceCharacters) return [sentence];
  const window = sentence.slice(0, pieceCharacters);
  const comma = Math.max(
    window.lastIndexOf(", "),
    window.lastIndexOf("; "),
    window.lastIndexOf(": "),
  );
  const at =
    comma > pieceCharacters / 3
      ? comma + 1
      : Math.max(window.lastIndexOf(" "), 0) || pieceCharacters;
  return [sentence.slice(0, at).trim(), ...cutLong(sentence.slice(at).trim())];
}
