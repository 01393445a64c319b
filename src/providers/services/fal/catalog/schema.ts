import type { JsonSchema } from "#contract/json.ts";
import { isRecord } from "../../../wire/error-fields.ts";
import { boundedExamples, withExamples } from "../../../wire/forms.ts";
import { markFileFields } from "../files/file-fields.ts";

/** A larger form is useless to a person, and inlining may have multiplied a small document. */
const maxNodes = 20_000;

/**
 * Extracts the input's JSON Schema from an endpoint's OpenAPI 3.0 document, through the path's
 * request body: components inlined in fal's display order, files marked with `x-file`, and without
 * the boolean `sync_mode`. Recursive components stay as `$ref` to `$defs`. Null when the document
 * has no such body or is too large.
 */
export function toInputSchema(document: unknown, endpointId: string): JsonSchema | null {
  const body = requestBody(document, endpointId);
  if (!body) return null;
  const schemas =
    isRecord(document) && isRecord(document.components) ? document.components.schemas : undefined;
  const schema = toForm(body.schema, isRecord(schemas) ? schemas : {});
  if (!schema) return null;
  dropSyncMode(schema);
  return withExamples(schema, body.examples);
}

/**
 * Returns an object schema with its components inlined and its files marked; null when it isn't an
 * object or is too large.
 */
export function toForm(
  body: Record<string, unknown>,
  components: Record<string, unknown>,
): JsonSchema | null {
  const inliner = createInliner(components);
  const root = inliner.inline(body, []);
  // A recursive root is resolved once, so that a form finds its fields.
  const name = refName(root);
  const schema: JsonSchema = name ? { ...inliner.defs()[name] } : root;
  if (inliner.isTooLarge() || !isRecord(schema.properties)) return null;
  const defs = inliner.defs();
  if (Object.keys(defs).length > 0) schema.$defs = defs;
  markFileFields(schema);
  return schema;
}

function requestBody(
  document: unknown,
  endpointId: string,
): { schema: Record<string, unknown>; examples: unknown[] } | null {
  if (!isRecord(document) || !isRecord(document.paths)) return null;
  const { paths } = document;
  const path =
    paths[`/${endpointId}`] ??
    Object.entries(paths).find(
      ([key, value]) => !key.includes("{") && isRecord(value) && value.post,
    )?.[1];
  let node: unknown = path;
  for (const step of ["post", "requestBody", "content", "application/json"])
    node = isRecord(node) ? node[step] : undefined;
  return isRecord(node) && isRecord(node.schema)
    ? { schema: node.schema, examples: mediaExamples(node) }
    : null;
}

/** Examples of a whole body (OpenAPI 3.0, Media Type Object): one, or several by name. */
function mediaExamples({ example, examples }: Record<string, unknown>): unknown[] {
  const named = isRecord(examples)
    ? Object.values(examples).flatMap((one) => (isRecord(one) ? [one.value] : []))
    : [];
  return example === undefined ? named : [example, ...named];
}

function createInliner(components: Record<string, unknown>) {
  const defs: Record<string, JsonSchema> = {};
  const loops = new Set<string>();
  let nodes = 0;

  function inline(node: unknown, open: readonly string[]): JsonSchema {
    if (!isRecord(node) || ++nodes > maxNodes) return {};
    const name = componentName(node.$ref);
    if (name !== null) return inlineComponent(name, node, open);
    const [single] = Array.isArray(node.allOf) && node.allOf.length === 1 ? node.allOf : [];
    if (single !== undefined) {
      // OpenAPI 3.0 uses `allOf: [{$ref}]` to add a title and a default to a reference.
      const { allOf: _, ...beside } = node;
      return { ...inline(single, open), ...inline(beside, open) };
    }
    const schema: JsonSchema = {};
    for (const [keyword, value] of Object.entries(node)) {
      if (keyword === "properties" && isRecord(value))
        schema.properties = inlineProperties(value, node, open);
      else if (["anyOf", "oneOf", "allOf", "prefixItems"].includes(keyword) && Array.isArray(value))
        schema[keyword] = value.map((inner) => inline(inner, open));
      else if (["items", "additionalProperties", "not"].includes(keyword) && isRecord(value))
        schema[keyword] = inline(value, open);
      else if (keyword === "examples" && Array.isArray(value))
        schema.examples = boundedExamples(value);
      else if (keyword !== "x-fal-order-properties") schema[keyword] = value;
    }
    return toDraft2020(schema);
  }

  function inlineComponent(
    name: string,
    node: Record<string, unknown>,
    open: readonly string[],
  ): JsonSchema {
    const { $ref: _, ...beside } = node;
    if (open.includes(name)) {
      loops.add(name);
      return { $ref: `#/$defs/${name}` };
    }
    const inner = inline(components[name], [...open, name]);
    if (!loops.has(name)) return { ...inner, ...inline(beside, open) };
    defs[name] = inner;
    return { $ref: `#/$defs/${name}`, ...inline(beside, open) };
  }

  function inlineProperties(
    properties: Record<string, unknown>,
    node: Record<string, unknown>,
    open: readonly string[],
  ) {
    const wanted = Array.isArray(node["x-fal-order-properties"])
      ? node["x-fal-order-properties"].map(String)
      : [];
    // The order may name missing fields, and omit existing ones.
    const names = [...wanted.filter((name) => name in properties), ...Object.keys(properties)];
    return Object.fromEntries(
      [...new Set(names)].map((name) => [name, inline(properties[name], open)]),
    );
  }

  return { inline, defs: () => defs, isTooLarge: () => nodes > maxNodes };
}

/** Converts OpenAPI 3.0's own keywords, which a current JSON Schema validator would ignore. */
function toDraft2020(schema: JsonSchema): JsonSchema {
  for (const [exclusive, bound] of [
    ["exclusiveMinimum", "minimum"],
    ["exclusiveMaximum", "maximum"],
  ] as const) {
    if (typeof schema[exclusive] !== "boolean") continue;
    if (schema[exclusive] && schema[bound] !== undefined) {
      schema[exclusive] = schema[bound];
      delete schema[bound];
    } else delete schema[exclusive];
  }
  if (schema.nullable === true && typeof schema.type === "string") {
    schema.type = [schema.type, "null"];
    if (Array.isArray(schema.enum)) schema.enum = [...schema.enum, null];
  }
  delete schema.nullable;
  return schema;
}

/**
 * For pictures, `sync_mode` returns them inside the JSON and stores none; for lip-sync it is an
 * enum with another meaning, which stays.
 */
function dropSyncMode(schema: JsonSchema): void {
  const { properties } = schema;
  if (
    !isRecord(properties) ||
    !isRecord(properties.sync_mode) ||
    properties.sync_mode.type !== "boolean"
  )
    return;
  delete properties.sync_mode;
  if (Array.isArray(schema.required))
    schema.required = schema.required.filter((name) => name !== "sync_mode");
}

const componentName = (ref: unknown) =>
  typeof ref === "string" ? (/^#\/components\/schemas\/(.+)$/.exec(ref)?.[1] ?? null) : null;
const refName = (schema: JsonSchema) =>
  typeof schema.$ref === "string" ? (/^#\/\$defs\/(.+)$/.exec(schema.$ref)?.[1] ?? null) : null;
