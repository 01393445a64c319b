import type { JsonObject, JsonSchema } from "#contract/json.ts";
import { type Fault, findFaults } from "./bounded-validate.ts";

/** One error in an input: a dotted path and a message. */
export type InputIssue = { field: string; message: string };

/**
 * Checks an input against a model's JSON Schema. An empty list means valid. Without a schema, every
 * input is valid. An input that would need too many steps, as a deep one can with a recursive
 * schema, is refused before checking.
 */
export function checkInput(schema: JsonSchema | null, input: JsonObject): InputIssue[] {
  if (schema === null) return [];
  const faults = findFaults(schema, input);
  if (!faults)
    return [
      {
        field: "",
        message: "The input is nested too deeply or too large to be checked. Send less at a time.",
      },
    ];
  const deepest = faults.filter(
    (error) => !["properties", "items", "$ref", "allOf"].includes(error.keyword),
  );
  const issues = (deepest.length > 0 ? deepest : faults).map((error) => ({
    field: fieldOf(error),
    message: error.error,
  }));
  return issues.slice(0, 20);
}

/** The name of a missing field, not of the object that lacks it. */
function fieldOf({ instanceLocation, keyword, error }: Fault): string {
  const missing =
    keyword === "required"
      ? /^Instance does not have required property "(.+)"\.$/.exec(error)?.[1]
      : undefined;
  const path = instanceLocation.replace(/^#\/?/, "").replaceAll("/", ".");
  return [path, missing].filter(Boolean).join(".");
}

/** Fills required fields that are empty with their defaults. */
export function withRequiredDefaults(schema: JsonSchema | null, input: JsonObject): JsonObject {
  const required = new Set(Array.isArray(schema?.required) ? schema.required : []);
  const filled = Object.entries(propertiesOf(schema)).flatMap(([name, field]) =>
    required.has(name) && input[name] === undefined && field.default !== undefined
      ? [[name, field.default]]
      : [],
  );
  return filled.length === 0 ? input : { ...input, ...Object.fromEntries(filled) };
}

/** The defaults that a schema states for its own fields. */
export function defaultsOf(schema: JsonSchema | null): JsonObject {
  const entries = Object.entries(propertiesOf(schema)).flatMap(([name, { default: value }]) =>
    value === undefined || value === null ? [] : [[name, value]],
  );
  return Object.fromEntries(entries) as JsonObject;
}

const assetPattern = /^asset:([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/;

/** The assets that an input names as `asset:<id>`, at any depth, with the path as their role. */
export function assetsInInput(value: unknown, path = ""): { assetId: string; role: string }[] {
  if (typeof value === "string") {
    const assetId = assetPattern.exec(value)?.[1];
    return assetId ? [{ assetId, role: path }] : [];
  }
  if (Array.isArray(value))
    return value.flatMap((entry, i) => assetsInInput(entry, `${path}.${i}`));
  if (value && typeof value === "object")
    return Object.entries(value).flatMap(([key, entry]) =>
      assetsInInput(entry, path ? `${path}.${key}` : key),
    );
  return [];
}

/** The schema's own properties. */
export function propertiesOf(schema: JsonSchema | null): Record<string, JsonSchema> {
  const properties = schema?.properties;
  return properties && typeof properties === "object"
    ? (properties as Record<string, JsonSchema>)
    : {};
}

/**
 * The part of an input that another model's form accepts, with that form's required defaults, and
 * the dropped names.
 */
export function fitInput(
  schema: JsonSchema | null,
  input: JsonObject,
): { input: JsonObject; dropped: string[] } {
  if (schema === null) return { input, dropped: [] };
  const own = propertiesOf(schema);
  const isKnown = (name: string): boolean => Object.hasOwn(own, name);
  const kept = Object.fromEntries(Object.entries(input).filter(([name]) => isKnown(name)));
  return {
    input: withRequiredDefaults(schema, kept),
    dropped: Object.keys(input).filter((name) => !isKnown(name)),
  };
}

/** The searchable text of a media input; empty if it has none, as for an upscaled picture. */
export function promptOf(input: JsonObject): string {
  for (const name of ["prompt", "text", "input", "lyrics"]) {
    const words = input[name];
    if (typeof words === "string" && words.trim() !== "") return words;
  }
  return "";
}
