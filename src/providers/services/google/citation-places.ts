import type { JsonObject } from "#contract/json.ts";
import { placedCitation } from "../../wire/answer/placed-citation.ts";
import { isRecord } from "../../wire/error-fields.ts";
import { recordsOf } from "../../wire/values.ts";

/**
 * Reads where a text cites web pages. Google counts in bytes of UTF-8, from the start of a part
 * (https://ai.google.dev/api/generate-content#Segment). Streams split the parts, so a place counts
 * only if its text is the one that Google states.
 */
export function placedCitations(grounding: unknown, text: string): JsonObject[] {
  const { groundingChunks: pages, groundingSupports: supports } = isRecord(grounding)
    ? grounding
    : {};
  if (!Array.isArray(pages)) return [];
  const bytes = Buffer.from(text);
  return recordsOf(supports).flatMap(({ segment, groundingChunkIndices: indices }) => {
    const place = isRecord(segment) ? placeOf(segment, bytes) : undefined;
    if (!place || !Array.isArray(indices)) return [];
    return indices.flatMap((index): JsonObject[] => {
      const page: unknown = pages[Number(index)];
      const { uri: url, title } = isRecord(page) && isRecord(page.web) ? page.web : {};
      const citation = placedCitation({ url, title, ...place });
      return citation ? [citation] : [];
    });
  });
}

function placeOf({ startIndex, endIndex, text }: Record<string, unknown>, bytes: Buffer) {
  const from = Number(startIndex ?? 0);
  const cited = bytes.subarray(from, Number(endIndex)).toString();
  if (cited !== text) return undefined;
  const start = bytes.subarray(0, from).toString().length;
  return { start_index: start, end_index: start + cited.length };
}
