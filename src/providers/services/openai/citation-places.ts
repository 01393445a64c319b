import type { JsonObject } from "#contract/json.ts";
import { placedCitation } from "../../wire/answer/placed-citation.ts";
import { isRecord } from "../../wire/error-fields.ts";

/** The events that add to the text of an answer. */
const deltas: ReadonlySet<unknown> = new Set([
  "response.output_text.delta",
  "response.refusal.delta",
]);

/**
 * Collects the citations of web pages and their places in an answer. OpenAI counts within one text,
 * and an answer may have several, for example before and after a search.
 */
export function createCitationPlaces() {
  const placed: JsonObject[] = [];
  /** Where each text begins in the answer. */
  const starts = new Map<string, number>();
  let length = 0;
  function startOf(text: string): number {
    const start = starts.get(text) ?? length;
    starts.set(text, start);
    return start;
  }
  function add(annotation: unknown, start: number): void {
    if (!isRecord(annotation) || annotation.type !== "url_citation") return;
    const citation = placedCitation(annotation, start);
    if (citation) placed.push(citation);
  }
  return {
    /** Reads an event of a stream. */
    readEvent(event: unknown): void {
      if (!isRecord(event)) return;
      const { type, output_index: item, content_index: part, delta, annotation } = event;
      const text = `${item} ${part}`;
      if (deltas.has(type) && typeof delta === "string") {
        startOf(text);
        length += delta.length;
      } else if (type === "response.output_text.annotation.added") add(annotation, startOf(text));
    },
    /** Reads a whole text of the answer, each in its order. */
    readText(text: string, annotations: readonly unknown[]): void {
      for (const annotation of annotations) add(annotation, length);
      length += text.length;
    },
    /** Returns the part that is stored with the run. */
    result: (): JsonObject => (placed.length > 0 ? { urlCitations: placed } : {}),
  };
}
