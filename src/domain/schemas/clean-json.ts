import { cleanText } from "#contract/entities.ts";

/**
 * What JSON.parse gave, with every text and every key as databases keep them: U+0000 and lone surrogates become U+FFFD.
 * Its depth is bounded by who parsed it (json-scan.ts).
 */
export function cleanJson(value: unknown): unknown {
  if (typeof value === "string") return cleanText(value);
  if (Array.isArray(value)) return value.map(cleanJson);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [cleanText(key), cleanJson(item)]),
  );
}
