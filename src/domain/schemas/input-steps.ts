import {
  isSchema,
  type KnownSchemas,
  type Schema,
  schemasUnder,
  targetOf,
} from "./schema-expansion.ts";

/** The most schema checks for one input. The validator caches nothing and blocks the event loop. */
export const inputStepsMost = 100_000;
/**
 * The deepest nesting of checks. The validator recurses, and a little over twice this depth
 * overflows the stack.
 */
export const inputDepthMost = 200;

const samePlace = ["allOf", "anyOf", "oneOf", "not", "if", "dependentSchemas", "dependencies"];
/** All values other than objects and lists take the same steps. */
const anyScalar = Symbol();
const endless = { steps: Number.POSITIVE_INFINITY, depth: Number.POSITIVE_INFINITY };
type Count = { steps: number; depth: number };

/**
 * The number of schema checks for an input and its parts, and how deeply they nest. Two branches of
 * a recursive schema that reach the same part double the work at each level, so each schema is
 * counted once per part, up to the limit.
 * @param known the schema's references, from `dereference`
 */
export function stepsOf(known: KnownSchemas, schema: unknown, input: unknown): Count {
  const counted = new Map<Schema, Map<unknown, Count>>();
  let pairs = 0;

  function count(node: unknown, value: unknown, depth: number): Count {
    if (!isSchema(node)) return { steps: 1, depth: 1 };
    const part = typeof value === "object" && value !== null ? value : anyScalar;
    const ofNode = counted.get(node) ?? new Map<unknown, Count>();
    counted.set(node, ofNode);
    const before = ofNode.get(part);
    if (before) return before;
    if (++pairs > inputStepsMost || depth > inputDepthMost) return endless;
    // A schema that recurses on the same part never ends.
    ofNode.set(part, endless);
    const total = { steps: 1, depth: 1 };
    const add = ({ steps, depth: below }: Count): void => {
      total.steps += steps;
      total.depth = Math.max(total.depth, below + 1);
    };
    for (const [inner, at] of [...heldHere(known, node, value), ...heldInside(node, value)]) {
      add(count(inner, at, depth + 1));
      if (total.steps > inputStepsMost) break;
    }
    // Only one branch applies.
    const branches = [node.then, node.else]
      .filter(isSchema)
      .map((branch) => count(branch, value, depth + 1));
    if (branches.length > 0)
      add({ steps: highest(branches, "steps"), depth: highest(branches, "depth") });
    ofNode.set(part, total);
    return total;
  }
  return count(schema, input, 1);
}

const highest = (counts: readonly Count[], of: keyof Count): number =>
  Math.max(...counts.map((one) => one[of]));

type SchemaCheck = [schema: unknown, value: unknown];

const heldHere = (known: KnownSchemas, node: Schema, value: unknown): SchemaCheck[] =>
  [...targetOf(known, node), ...schemasUnder(node, samePlace)].map((schema) => [schema, value]);

function heldInside(node: Schema, value: unknown): SchemaCheck[] {
  if (Array.isArray(value)) return value.flatMap((entry, index) => heldByEntry(node, entry, index));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, entry]) => heldByField(node, name, entry));
}

function heldByEntry(node: Schema, entry: unknown, place: number): SchemaCheck[] {
  const ofPlace = [node.prefixItems, node.items].map((list) =>
    Array.isArray(list) ? list[place] : undefined,
  );
  const ofAll = [node.items, node.additionalItems, node.unevaluatedItems, node.contains].filter(
    isSchema,
  );
  return [...ofPlace, ...ofAll].flatMap((schema): SchemaCheck[] =>
    schema === undefined ? [] : [[schema, entry]],
  );
}

function heldByField(node: Schema, name: string, entry: unknown): SchemaCheck[] {
  const named =
    isSchema(node.properties) && Object.hasOwn(node.properties, name)
      ? [node.properties[name]]
      : [];
  const patterns = isSchema(node.patternProperties) ? Object.entries(node.patternProperties) : [];
  const matching = patterns.flatMap(([pattern, schema]) =>
    new RegExp(pattern, "u").test(name) ? [schema] : [],
  );
  const own = [...named, ...matching];
  const rest =
    own.length > 0 ? [] : [node.additionalProperties, node.unevaluatedProperties].filter(isSchema);
  const held = [...own, ...rest].map((schema): SchemaCheck => [schema, entry]);
  return isSchema(node.propertyNames) ? [...held, [node.propertyNames, name]] : held;
}
