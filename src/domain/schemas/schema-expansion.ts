import { dereference } from "@cfworker/json-schema";
import type { JsonSchema } from "#contract/json.ts";

/**
 * The most steps of a schema. More are refused, because the validator caches nothing and would
 * block the process.
 */
export const schemaStepsMost = 10_000;

/**
 * Keywords whose schemas apply to the same value, and those whose schemas apply to a value inside
 * it.
 */
const inPlace = [
  "allOf",
  "anyOf",
  "oneOf",
  "not",
  "if",
  "then",
  "else",
  "dependentSchemas",
  "dependencies",
];
const inside = [
  "properties",
  "patternProperties",
  "additionalProperties",
  "unevaluatedProperties",
  "propertyNames",
  "items",
  "prefixItems",
  "additionalItems",
  "unevaluatedItems",
  "contains",
];
const maps: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "dependentSchemas",
  "dependencies",
]);

export type Schema = Record<string, unknown>;
/** Every subschema by its address. */
export type KnownSchemas = Record<string, unknown>;

/**
 * How many schemas a validator visits if each `$ref` is inlined. A recursive `$ref` counts once if
 * it descends into the value (a tree), and makes the result Infinity if it applies to the same
 * value.
 * @throws Error for an invalid address
 */
export function expansionOf(schema: JsonSchema): number {
  const known: KnownSchemas = dereference(schema);
  const target = (node: Schema): unknown[] => targetOf(known, node);
  const stepsHere = counter(
    (node) => [...target(node), ...schemasUnder(node, inPlace)],
    Number.POSITIVE_INFINITY,
  );
  const most = Object.values(known).reduce<number>(
    (highest, node) => Math.max(highest, stepsHere(node)),
    0,
  );
  if (most > schemaStepsMost) return most;
  return Math.max(
    most,
    counter(
      (node) => [...target(node), ...schemasUnder(node, inPlace), ...schemasUnder(node, inside)],
      1,
    )(schema),
  );
}

/**
 * The schema that a `$ref` refers to, if any.
 * @param known the whole schema's references, from `dereference`
 */
export const targetOf = (known: KnownSchemas, node: Schema): unknown[] =>
  node.$recursiveRef === undefined
    ? node.$ref === undefined
      ? []
      : [known[String(node.__absolute_ref__ || node.$ref)]]
    : [node];

/** `ofLoop` is the count of a schema inside itself. */
function counter(partsOf: (node: Schema) => unknown[], ofLoop: number): (node: unknown) => number {
  const counted = new Map<object, number>();
  return function count(node): number {
    if (!isSchema(node)) return 1;
    const before = counted.get(node);
    if (before !== undefined) return before;
    counted.set(node, ofLoop);
    const steps = partsOf(node).reduce<number>((sum, part) => sum + count(part), 1);
    counted.set(node, steps);
    return steps;
  };
}

export const schemasUnder = (node: Schema, keywords: readonly string[]): unknown[] =>
  keywords.flatMap((keyword) => {
    const value = node[keyword];
    if (Array.isArray(value)) return value as unknown[];
    if (!isSchema(value)) return [];
    return maps.has(keyword) ? Object.values(value) : [value];
  });

export const isSchema = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);
