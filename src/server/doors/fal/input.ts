import type { Context } from "hono";
import type { Json, JsonObject } from "#contract/json.ts";
import type { ServerDeps } from "../../deps.ts";
import { saveReferencedFile } from "../programs/files.ts";
import type { Asking } from "../programs/follow.ts";
import { assetOfLink } from "../programs/links.ts";

/**
 * Headers of fal's client that are settings of the run: fields of the model's form with the same
 * names.
 */
const runHeaders = {
  "x-fal-queue-priority": (value: string) => (value === "low" ? value : undefined),
  "x-fal-request-timeout": (value: string) => (Number(value) > 0 ? Number(value) : undefined),
} as const;

/** @returns the headers that differ from fal's default: the client sends "normal" each time */
export function runHeadersOf(c: Context, body: JsonObject): JsonObject {
  const given = Object.entries(runHeaders).map(([name, read]) => [
    name,
    body[name] ?? read(c.req.header(name)?.toLowerCase() ?? ""),
  ]);
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

/**
 * Converts the input to the form stored with a run. Our own URLs and `data:` URLs become assets of
 * the project, `asset:<id>`, which the run uploads to fal, private and for a limited time. Any
 * other URL is left for the model to read.
 * @throws Problem invalid_input, and the errors of saving a file
 */
export async function toRunInput(
  deps: ServerDeps,
  asking: Asking,
  input: JsonObject,
): Promise<JsonObject> {
  async function visit(value: Json, path: string): Promise<Json> {
    if (typeof value === "string") return fileOf(deps, asking, value, path);
    if (Array.isArray(value))
      return Promise.all(value.map((inner, i) => visit(inner, `${path}.${i}`)));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      await Promise.all(
        Object.entries(value).map(
          async ([name, inner]) => [name, await visit(inner, `${path}.${name}`)] as const,
        ),
      ),
    );
  }
  return (await visit(input, "input")) as JsonObject;
}

async function fileOf(
  deps: ServerDeps,
  asking: Asking,
  value: string,
  field: string,
): Promise<string> {
  const known = assetOfLink(deps, asking.line, value);
  if (known) return `asset:${known}`;
  return /^data:[^,]{0,200};base64,/i.test(value)
    ? `asset:${await saveReferencedFile(deps, asking, value, field)}`
    : value;
}
