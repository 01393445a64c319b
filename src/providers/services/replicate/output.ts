import type { Json, JsonObject } from "#contract/json.ts";
import type { ProducedFile } from "../../adapter.ts";
import { isRecord } from "../../wire/error-fields.ts";

/**
 * Splits a prediction's output, which depends on the model: a URL, a list of them, text in pieces,
 * or an object of these. Files are extracted, with `{"output": n}` in their place.
 */
export function splitOutput(
  output: unknown,
  expiresAt: number | undefined,
): { files: ProducedFile[]; result: JsonObject } {
  const files: ProducedFile[] = [];

  function visit(value: unknown): Json {
    if (typeof value === "string") {
      const file = toFile(value, expiresAt);
      return file ? { output: files.push(file) - 1 } : value;
    }
    if (Array.isArray(value)) return isText(value) ? value.join("") : value.map(visit);
    if (isRecord(value))
      return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, visit(inner)]));
    return typeof value === "number" || typeof value === "boolean" ? value : null;
  }

  const rest = visit(output);
  if (isRecord(rest)) return { files, result: rest as JsonObject };
  return {
    files,
    result: typeof rest === "string" ? { text: rest } : rest === null ? {} : { output: rest },
  };
}

const isText = (list: unknown[]): list is string[] =>
  list.length > 0 && list.every((item) => typeof item === "string" && !isAddress(item));
const isAddress = (text: string) =>
  /^(https?:\/\/\S+|data:[\w.+-]+\/[\w.+-]+;base64,\S*)$/.test(text) &&
  (text.startsWith("data:") || URL.canParse(text));

function toFile(text: string, expiresAt: number | undefined): ProducedFile | null {
  if (!isAddress(text)) return null;
  const [, mime, content] = /^data:([^;]+);base64,(.*)$/s.exec(text) ?? [];
  if (mime !== undefined && content !== undefined)
    return { name: "output", mime, bytes: Buffer.from(content, "base64") };
  const name = new URL(text).pathname.split("/").pop() || "output";
  return { name, url: text, ...(expiresAt !== undefined && { expiresAt }) };
}
