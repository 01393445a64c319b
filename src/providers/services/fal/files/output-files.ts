import type { Json, JsonObject } from "#contract/json.ts";
import type { ProducedFile } from "../../../adapter.ts";
import { isRecord } from "../../../wire/error-fields.ts";

/** A file in a result: its URL and its sibling fields. */
export type FoundFile = { url: string } & Pick<
  ProducedFile,
  "name" | "mime" | "width" | "height" | "durationMs" | "size"
>;

/**
 * Extracts every file of a result, wherever the model put it: `{url, content_type, ...}`, lists and
 * nested objects of these, and plain URLs in fields named `..._url` or `..._urls`. The rest is
 * returned with `{"output": n}` in each file's place, numbered in order, without the URLs, because
 * those expire.
 */
export function splitResult(answer: unknown): { files: FoundFile[]; result: JsonObject } {
  const files: FoundFile[] = [];
  const place = (file: FoundFile) => {
    const known = files.findIndex(({ url }) => url === file.url);
    return known >= 0 ? known : files.push(file) - 1;
  };

  function visit(value: unknown, key: string): Json {
    if (typeof value === "string")
      return isFileField(key) && isAddress(value)
        ? { output: place(describe({ url: value })) }
        : value;
    if (Array.isArray(value)) return value.map((inner) => visit(inner, key));
    if (!isRecord(value))
      return typeof value === "number" || typeof value === "boolean" ? value : null;
    const isFile = typeof value.url === "string" && isAddress(value.url) && looksLikeFile(value);
    const rest = Object.entries(value).filter(
      ([name]) => !isFile || (name !== "url" && name !== "file_data"),
    );
    const inner = Object.fromEntries(rest.map(([name, part]) => [name, visit(part, name)]));
    return isFile ? { output: place(describe(value)), ...inner } : inner;
  }

  const result = visit(answer, "");
  return { files, result: isRecord(result) ? (result as JsonObject) : { value: result } };
}

/** Decodes a `data:` URL, which contains the bytes; null for one that isn't base64. */
export function readDataUrl(file: FoundFile): ProducedFile | null {
  const [, mime, content] =
    /^data:([\w.+-]+\/[\w.+-]+)?(?:;[^;,]*)*;base64,(.*)$/s.exec(file.url) ?? [];
  if (content === undefined) return null;
  const { url: _, ...facts } = file;
  return { ...facts, ...(mime && { mime }), bytes: new Uint8Array(Buffer.from(content, "base64")) };
}

const fileFields = ["content_type", "file_name", "file_size", "file_data", "width", "height"];

/** A citation also has a `url`, with a title. A file has a file's fields, or no other field. */
const looksLikeFile = (value: Record<string, unknown>) =>
  fileFields.some((name) => name in value) || Object.keys(value).every((name) => name === "url");

const isFileField = (key: string) => /(^|_)urls?$/.test(key);
const isAddress = (value: string) => /^(https?:\/\/|data:[\w.+/-]+;)/.test(value);

function describe(value: Record<string, unknown>): FoundFile {
  const url = String(value.url);
  const number = (name: string) =>
    typeof value[name] === "number" && value[name] > 0 ? value[name] : undefined;
  const [width, height, seconds, size] = [
    number("width"),
    number("height"),
    number("duration"),
    number("file_size"),
  ];
  return {
    url,
    name: typeof value.file_name === "string" && value.file_name ? value.file_name : nameOf(url),
    ...(typeof value.content_type === "string" &&
      value.content_type && { mime: value.content_type }),
    ...(width && height && { width: Math.round(width), height: Math.round(height) }),
    ...(size && Number.isSafeInteger(size) && { size }),
    ...(seconds && { durationMs: Math.round(seconds * 1_000) }),
  };
}

function nameOf(url: string): string {
  if (url.startsWith("data:")) return "output";
  const last = new URL(url).pathname.split("/").pop() || "output";
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}
