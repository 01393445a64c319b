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

/** A result may contain each word of a day-long recording with its times. */
const rowBounds: JsonBounds = { depth: 64, values: 2_000_000 };
/** Each result was bounded as it arrived, but a request may name many. */
const resultsBounds: JsonBounds = { depth: 512, values: 4_000_000 };

/**
 * JSON to parse, validate and reduce to the requested part. `body`, `manifest` and `project` are
 * scanned on arrival; a `row` and `results` are scanned here.
 */
export type JsonTask = { bytes: Uint8Array<ArrayBuffer> } & (
  | {
      /** The input of a route's handler. */ as: "body";
      route: RouteName;
      idempotencyKey?: string | undefined;
    }
  | { as: "manifest" }
  | { as: "project" }
  | { as: "row"; table: ArchiveTable }
  | { /** A provider's response, unchanged. */ as: "answer" }
  | { /** A list of chat results. */ as: "results" }
);

/** The result of each kind of task. `null` means that the value doesn't match the schema. */
export type JsonResults = {
  body: unknown;
  manifest:
    | { format: "foreign" }
    | { format: "newer" }
    | { format: "ours"; manifest: z.output<typeof archiveManifest> | null };
  project: z.output<typeof archivedProject> | null;
  row: { row: unknown } | { /** The path of the error in the row. */ wrong: string };
  answer: unknown;
  /** The parts and calls of each result. */
  results: { parts?: unknown; toolCalls?: unknown }[];
};

/**
 * @throws Problem invalid_input for a body, and for results beyond the bounds
 * @throws SyntaxError for any other invalid JSON
 */
export function readJson<T extends JsonTask>(task: T): JsonResults[T["as"]];
export function readJson(task: JsonTask): unknown {
  if (task.as === "body") return readBody(task.route, task.bytes, task.idempotencyKey);
  if (task.as === "row") return readRow(task.table, task.bytes);
  if (task.as === "results") return readResults(parseBounded(task.bytes, resultsBounds));
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

/** Leaves out log probabilities, which are larger than the text. */
const readResults = (value: unknown): JsonResults["results"] =>
  (value as (JsonResults["results"][number] | null)[]).map((result) => ({
    parts: result?.parts,
    toolCalls: result?.toolCalls,
  }));

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

/**
 * Whether a body may contain an idempotency key: its schema then rejects the type of a wrong value
 * rather than the name.
 */
const takesKey = (schema: RouteSchemas): boolean =>
  schema.body
    ?.safeParse({ idempotencyKey: 1 })
    .error?.issues.some((issue) => issue.path[0] === "idempotencyKey") ?? false;

/**
 * A key in the body takes precedence over the standard header
 * (draft-ietf-httpapi-idempotency-key-header).
 */
function withKey(body: unknown, key: string): unknown {
  if (typeof body !== "object" || body === null || "idempotencyKey" in body) return body;
  return { ...body, idempotencyKey: key };
}

/**
 * The first issue. For a union, the issue of the option that matches furthest, with its full path,
 * so that an error names the wrong field and not only the list around it.
 */
function mostSpecific(issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue | undefined {
  const [issue] = issues;
  if (issue?.code !== "invalid_union") return issue;
  const inner = issue.errors.flatMap((one) => mostSpecific(one) ?? []);
  const depths = inner.map(({ path }) => path.length);
  const deepest = Math.max(0, ...depths);
  const best = deepest > 0 ? inner[depths.indexOf(deepest)] : whyNone(issue, inner);
  return best ? { ...best, path: [...issue.path, ...best.path] } : issue;
}

/** Why a value fits no option of a union that has no sentence of its own. */
function whyNone(
  union: z.core.$ZodIssue,
  options: readonly z.core.$ZodIssue[],
): z.core.$ZodIssue | undefined {
  if (union.message !== "Invalid input") return undefined;
  const ofType = options.find(({ code }) => code !== "invalid_type");
  if (ofType) return ofType;
  const types = options.flatMap((one) => (one.code === "invalid_type" ? [one.expected] : []));
  const [first] = options;
  return first && { ...first, message: `Expected ${[...new Set(types)].join(" or ")}.` };
}

/** @throws Problem invalid_input that names the field */
export function parseInput(schema: z.ZodType, value: unknown): unknown {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = mostSpecific(parsed.error.issues);
  // Names an unknown field as well.
  const unknown = issue?.code === "unrecognized_keys" ? issue.keys.slice(0, 1) : [];
  const field = [...(issue?.path ?? []), ...unknown].filter((part) => part !== "").join(".");
  throw new Problem("invalid_input", {
    message: `${field ? `${field}: ` : ""}${issue?.message ?? "not valid"}`,
    ...(field && { field }),
  });
}
