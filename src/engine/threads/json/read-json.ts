import type { z } from "zod";
import {
  type ArchiveTable,
  archivedProject,
  archiveManifest,
  archiveSchemas,
  whichFormat,
} from "#contract/archive.ts";
import { Problem } from "#contract/errors.ts";
import type { RouteName } from "#contract/routes/index.ts";
import { type RouteSchemas, schemas } from "#contract/schemas/index.ts";
import { sentences } from "#contract/sentences/index.ts";
import { cleanJson } from "#domain/schemas/clean-json.ts";
import { type JsonBounds, parseBounded } from "#domain/schemas/json-scan.ts";

/** A result may hold each word of a day's recording with its times. */
const rowBounds: JsonBounds = { depth: 64, values: 2_000_000 };

/**
 * JSON that is to be parsed, validated and reduced to what is asked for. `body` and `manifest`, `project` were scanned as they arrived;
 * a `row` is scanned here.
 */
export type JsonTask = { bytes: Uint8Array<ArrayBuffer> } & (
  | {
      /** What a route's handler gets. */ as: "body";
      route: RouteName;
      idempotencyKey?: string | undefined;
    }
  | { as: "manifest" }
  | { as: "project" }
  | { as: "row"; table: ArchiveTable }
  | { /** What a provider answered, as it is. */ as: "answer" }
);

/** What a task comes to, by what it asks for. `null`: the value does not have the shape. */
export type JsonResults = {
  body: unknown;
  manifest:
    | { format: "foreign" }
    | { format: "newer" }
    | { format: "ours"; manifest: z.output<typeof archiveManifest> | null };
  project: z.output<typeof archivedProject> | null;
  row: { row: unknown } | { /** Where in the row it is wrong. */ wrong: string };
  answer: unknown;
};

/** @throws Problem invalid_input for a body; SyntaxError for anything else that is no JSON */
export function readJson<T extends JsonTask>(task: T): JsonResults[T["as"]];
export function readJson(task: JsonTask): unknown {
  if (task.as === "body") return readBody(task.route, task.bytes, task.idempotencyKey);
  if (task.as === "row") return readRow(task.table, task.bytes);
  const value: unknown = JSON.parse(new TextDecoder().decode(task.bytes));
  if (task.as === "answer") return value;
  if (task.as === "project") return archivedProject.safeParse(cleanJson(value)).data ?? null;
  const format =
    typeof value === "object" && value !== null && "format" in value ? value.format : undefined;
  const which = typeof format === "string" ? whichFormat(format) : "foreign";
  return which === "ours"
    ? { format: which, manifest: archiveManifest.safeParse(value).data ?? null }
    : { format: which };
}

function readRow(table: ArchiveTable, bytes: Uint8Array): JsonResults["row"] {
  const parsed = archiveSchemas[table].safeParse(cleanJson(parseBounded(bytes, rowBounds)));
  return parsed.success
    ? { row: parsed.data }
    : { wrong: parsed.error.issues[0]?.path.join(".") ?? "" };
}

function readBody(
  route: RouteName,
  bytes: Uint8Array,
  idempotencyKey: string | undefined,
): unknown {
  const schema: RouteSchemas = schemas[route];
  const body = bytes.length === 0 ? {} : cleanJson(parseBody(bytes));
  return parseInput(
    schema.body!,
    idempotencyKey !== undefined && takesKey(schema) ? withKey(body, idempotencyKey) : body,
  );
}

function parseBody(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw new Problem("invalid_input", { message: sentences.files.notJson });
  }
}

/** Whether a body may carry a key: its schema finds fault with the key's type and not with its name. */
const takesKey = (schema: RouteSchemas): boolean =>
  schema.body
    ?.safeParse({ idempotencyKey: 1 })
    .error?.issues.some((issue) => issue.path[0] === "idempotencyKey") ?? false;

/** A body says its key itself; else the header that programs know says it (draft-ietf-httpapi-idempotency-key-header). */
function withKey(body: unknown, key: string): unknown {
  if (typeof body !== "object" || body === null || "idempotencyKey" in body) return body;
  return { ...body, idempotencyKey: key };
}

/**
 * The first issue; of a value that fits none of several shapes, that of the shape which it fits furthest, with its path from the
 * beginning. So an error names the part that is wrong, and not only the list that it is in.
 */
function mostSpecific(issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue | undefined {
  const [issue] = issues;
  if (issue?.code !== "invalid_union") return issue;
  const inner = issue.errors.flatMap((one) => mostSpecific(one) ?? []);
  const depths = inner.map(({ path }) => path.length);
  const deepest = Math.max(0, ...depths);
  const best = deepest > 0 ? inner[depths.indexOf(deepest)] : undefined;
  return best ? { ...best, path: [...issue.path, ...best.path] } : issue;
}

/** @throws Problem invalid_input that names the field */
export function parseInput(schema: z.ZodType, value: unknown): unknown {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = mostSpecific(parsed.error.issues);
  // What is not known is named as well.
  const unknown = issue?.code === "unrecognized_keys" ? issue.keys.slice(0, 1) : [];
  const field = [...(issue?.path ?? []), ...unknown].filter((part) => part !== "").join(".");
  throw new Problem("invalid_input", {
    message: `${field ? `${field}: ` : ""}${issue?.message ?? "not valid"}`,
    ...(field && { field }),
  });
}
