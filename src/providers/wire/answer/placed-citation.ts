import type { JsonObject } from "#contract/json.ts";

const isPlace = (index: unknown): index is number => Number.isInteger(index) && Number(index) >= 0;
/** The title of a cited page; its URL if it has none. */
export const titleOf = (url: string, title: unknown): string =>
  typeof title === "string" && title ? title : url;

/**
 * Reads a citation of a page in OpenAI's form; undefined if it states no place.
 * @param start where its text begins in the answer
 */
export function placedCitation(
  { url, title, start_index: from, end_index: to }: Record<string, unknown>,
  start = 0,
): JsonObject | undefined {
  if (typeof url !== "string" || !isPlace(from) || !isPlace(to) || from >= to) return undefined;
  return { url, title: titleOf(url, title), start_index: start + from, end_index: start + to };
}
