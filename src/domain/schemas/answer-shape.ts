import type { Json, JsonObject, JsonSchema } from "#contract/json.ts";
import { findFaults } from "./bounded-validate.ts";
import { expansionOf, schemaStepsMost } from "./schema-expansion.ts";

const types = ["string", "number", "integer", "boolean", "object", "array", "null"];
const schemas = { type: "object", additionalProperties: { $ref: "#" } };
const list = { type: "array", minItems: 1, items: { $ref: "#" } };
const count = { type: "integer", minimum: 0 };

/** JSON Schema (2020-12) for the keywords that are sent to models. Other keywords are ignored. */
const metaSchema: JsonSchema = {
  type: ["object", "boolean"],
  properties: {
    type: {
      anyOf: [
        { enum: types },
        { type: "array", minItems: 1, uniqueItems: true, items: { enum: types } },
      ],
    },
    properties: schemas,
    patternProperties: schemas,
    $defs: schemas,
    definitions: schemas,
    additionalProperties: { $ref: "#" },
    items: { $ref: "#" },
    prefixItems: list,
    contains: { $ref: "#" },
    not: { $ref: "#" },
    anyOf: list,
    oneOf: list,
    allOf: list,
    required: { type: "array", uniqueItems: true, items: { type: "string" } },
    enum: { type: "array", minItems: 1 },
    minimum: { type: "number" },
    maximum: { type: "number" },
    minLength: count,
    maxLength: count,
    minItems: count,
    maxItems: count,
    pattern: { type: "string" },
    format: { type: "string" },
    $ref: { type: "string" },
    title: { type: "string" },
    description: { type: "string" },
  },
};

/** `path`: the keys that lead to the error, outermost first. */
export type ShapeIssue = { path: string[]; message: string };

/** @returns undefined for a JSON Schema that answers can be checked against */
export function checkShape(schema: unknown): ShapeIssue | undefined {
  if (typeof schema !== "object" || schema === null || Array.isArray(schema))
    return { path: [], message: 'A JSON Schema is an object: { "type": "object", … }.' };
  const found = findFaults(metaSchema, schema);
  if (!found)
    return {
      path: [],
      message: "The schema is nested too deeply or too large to check an answer.",
    };
  const deepest = found.reduce<(typeof found)[number] | undefined>(
    (most, error) =>
      most && depthOf(most.instanceLocation) >= depthOf(error.instanceLocation) ? most : error,
    undefined,
  );
  if (deepest) {
    const path = pathOf(deepest.instanceLocation);
    return {
      path,
      message:
        path.at(-1) === "type"
          ? `A type is one of ${types.join(", ")}.`
          : sentenceOf(deepest.error),
    };
  }
  const pattern = wrongPattern(schema, []);
  if (pattern) return pattern;
  try {
    if (expansionOf(schema as JsonSchema) > schemaStepsMost)
      return {
        path: [],
        message: `With every $ref expanded, the schema has more than ${schemaStepsMost} parts or is endless.`,
      };
    findFaults(schema as JsonSchema, {});
  } catch (error) {
    const ref = error instanceof Error ? /\$ref "([^"]*)"/.exec(error.message)?.[1] : undefined;
    return {
      path: [],
      message:
        ref === undefined ? "This schema can't check an answer." : `“${ref}” does not exist.`,
    };
  }
  return undefined;
}

function wrongPattern(value: unknown, path: string[]): ShapeIssue | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    const here = [...path, key];
    if (key === "patternProperties" && path.at(-1) !== "properties")
      return {
        path: here,
        message: "patternProperties is not supported. List the fields under properties.",
      };
    if (
      key === "pattern" &&
      typeof inner === "string" &&
      path.at(-1) !== "properties" &&
      !isPattern(inner)
    )
      return { path: here, message: "This is not a regular expression." };
    const found = wrongPattern(inner, here);
    if (found) return found;
  }
  return undefined;
}

function isPattern(text: string): boolean {
  try {
    return Boolean(new RegExp(text, "u"));
  } catch {
    return false;
  }
}

const sentenceOf = (error: string): string =>
  error
    .replace(/^Instance\b/, "It")
    .replace(/^It type "(\w+)" is invalid\. Expected/, "It is of type $1, and has to be");

/**
 * Lists where an answer doesn't match, up to a limit. Invalid JSON is one issue; a schema that
 * `checkShape` refuses gives none. A `pattern` is sent to the model but not executed here, because
 * an untrusted regular expression could block the reader's page.
 */
export function checkAnswer(schema: JsonObject, value: unknown): ShapeIssue[] {
  if (checkShape(schema)) return [];
  const faults = findFaults(withoutPattern(schema, "") as JsonSchema, value);
  if (!faults)
    return [{ path: [], message: "The value is nested too deeply or too large to be checked." }];
  const inner = faults.filter(
    ({ keyword }) =>
      !["properties", "items", "prefixItems", "$ref", "allOf", "additionalProperties"].includes(
        keyword,
      ),
  );
  const reported = (inner.length > 0 ? inner : faults).slice(0, 10);
  return reported.map(({ instanceLocation, error }) => ({
    path: pathOf(instanceLocation),
    message: sentenceOf(error),
  }));
}

/** `under` is the parent key, because a field may have the name of a keyword. */
function withoutPattern(value: Json, under: string): Json {
  if (Array.isArray(value)) return value.map((part) => withoutPattern(part, ""));
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(
    ([key, part]) => under === "properties" || key !== "pattern" || typeof part !== "string",
  );
  return Object.fromEntries(
    kept.map(([key, part]) => [
      key,
      key === "enum" || key === "const" ? part : withoutPattern(part, key),
    ]),
  );
}

const depthOf = (location: string): number => location.split("/").length;
const pathOf = (location: string): string[] =>
  location
    .replace(/^#\/?/, "")
    .split("/")
    .filter(Boolean)
    .map((key) => decodeURIComponent(key).replaceAll("~1", "/").replaceAll("~0", "~"));
