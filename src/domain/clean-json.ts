import { cleanText } from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";

/** Nothing a person can build on a screen nests a quarter as deep; deeper, code that walks a value may run out of stack. */
const deepest = 64;
/** Far above the thousand ids of the largest selection; a body of the most bytes could hold two million. */
const valuesMost = 100_000;

/**
 * What JSON.parse gave, with every text and every key as databases keep them: U+0000 and lone surrogates become U+FFFD.
 * @param most values; a request's own limit unless told
 * @throws Problem invalid_input when it nests deeper than 64 levels or holds more values than that
 */
export function cleanJson(value: unknown, most = valuesMost): unknown {
  let values = 0;
  function clean(part: unknown, depth: number): unknown {
    values += 1;
    if (depth > deepest || values > most)
      throw new Problem("invalid_input", { message: "This JSON nests too deep or holds too many values." });
    if (typeof part === "string") return cleanText(part);
    if (Array.isArray(part)) return part.map((item) => clean(item, depth + 1));
    if (typeof part !== "object" || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([key, item]) => [cleanText(key), clean(item, depth + 1)]));
  }
  return clean(value, 0);
}
