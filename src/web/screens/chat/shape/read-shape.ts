import type { JsonObject } from "#contract/json.ts";
import { checkShape } from "#domain/schemas/answer-shape.ts";
import { lineOf } from "./line-of.ts";

/** The parsed text: empty, a schema, or an error with its line (from 1; null if unknown). */
export type ReadShape =
  | { kind: "none" }
  | { kind: "schema"; schema: JsonObject }
  | { kind: "json" | "schema-wrong"; line: number | null; message: string };

export function readShape(text: string): ReadShape {
  if (text.trim() === "") return { kind: "none" };
  const parsed = parse(text);
  if ("problem" in parsed) return parsed.problem;
  const issue = checkShape(parsed.value);
  if (issue)
    return { kind: "schema-wrong", line: lineOf(text, issue.path), message: issue.message };
  return { kind: "schema", schema: parsed.value as JsonObject };
}

function parse(text: string): { value: unknown } | { problem: ReadShape } {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    const message = error instanceof Error ? error.message : "";
    // Browsers report a line, a position, or an unexpected end.
    const [line, place] = [/line (\d+)/.exec(message)?.[1], /position (\d+)/.exec(message)?.[1]];
    const isEnd = /end of/i.test(message);
    const counted = place ?? (isEnd ? String(text.length) : undefined);
    const at =
      line !== undefined
        ? Number(line)
        : counted === undefined
          ? null
          : text.slice(0, Number(counted)).split("\n").length;
    return { problem: { kind: "json", line: at, message } };
  }
}
