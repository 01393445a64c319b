import type { JsonSchema } from "#contract/json.ts";

export const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const schemasOf = (value: unknown): JsonSchema[] =>
  Array.isArray(value) ? value.filter(isSchema) : [];

/** A schema with the references that led to it, to detect loops. */
export type LocatedSchema = { schema: JsonSchema; trail: readonly string[] };

/** Nobody fills in a form nested deeper than this. */
const maxDepth = 12;

/** The target of a reference within the document; undefined if it leads outside or nowhere. */
export function follow(root: JsonSchema, ref: string): JsonSchema | undefined {
  if (!ref.startsWith("#")) return undefined;
  let found: unknown = root;
  for (const part of ref.slice(1).split("/").slice(1)) {
    const key = decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
    found =
      isSchema(found) && Object.hasOwn(found, key)
        ? found[key]
        : Array.isArray(found)
          ? found[Number(key)]
          : undefined;
  }
  return isSchema(found) ? found : undefined;
}

/**
 * Resolves a schema: follows references within the document, merges a single allOf, and preserves
 * sibling keywords (fal writes title and default there). Null if the references loop or lead
 * nowhere.
 */
export function resolveSchema(
  root: JsonSchema,
  { schema, trail }: LocatedSchema,
): LocatedSchema | null {
  if (trail.length > maxDepth) return null;
  if (typeof schema.$ref === "string") {
    const { $ref, ...beside } = schema;
    const target = follow(root, $ref);
    if (!target || trail.includes($ref)) return null;
    return resolveSchema(root, { schema: { ...target, ...beside }, trail: [...trail, $ref] });
  }
  const [only, ...more] = schemasOf(schema.allOf);
  if (only && more.length === 0) {
    const { allOf: _, ...beside } = schema;
    const inner = resolveSchema(root, { schema: only, trail });
    return (
      inner && resolveSchema(root, { schema: { ...inner.schema, ...beside }, trail: inner.trail })
    );
  }
  return { schema, trail };
}

/**
 * The choices of anyOf or oneOf without null, and whether null was one; the same for `type: [T,
 * "null"]`.
 */
export function splitNull(schema: JsonSchema): { choices: JsonSchema[]; isNullable: boolean } {
  const listed = schemasOf(schema.anyOf ?? schema.oneOf);
  if (listed.length > 0) {
    const choices = listed.filter(({ type, const: value }) => type !== "null" && value !== null);
    return { choices, isNullable: choices.length < listed.length || schema.nullable === true };
  }
  if (Array.isArray(schema.type)) {
    const types = schema.type.filter((type) => type !== "null");
    return {
      choices: types.map((type) => ({ ...schema, type })),
      isNullable: types.length < schema.type.length,
    };
  }
  return { choices: [schema], isNullable: schema.nullable === true };
}
