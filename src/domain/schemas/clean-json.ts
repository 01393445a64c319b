import { cleanText } from "#contract/entities.ts";

/**
 * Replaces U+0000 and lone surrogates by U+FFFD in every text and key of parsed JSON, because
 * databases can't store them. The parser bounds its depth (json-scan.ts).
 */
export function cleanJson(value: unknown): unknown {
  if (typeof value === "string") return cleanText(value);
  if (Array.isArray(value)) return value.map(cleanJson);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [cleanText(key), cleanJson(item)]),
  );
}
