import {
  isSchema,
  type KnownSchemas,
  type Schema,
  schemasUnder,
  targetOf,
} from "./schema-expansion.ts";

/** As many schemas may be held against the parts of one input; the validator remembers nothing, and nothing else is done meanwhile. */
export const inputStepsMost = 100_000;
/** And as many within each other: the validator calls itself, and a little over twice as many would be too many calls for the stack. */
export const inputDepthMost = 200;

const samePlace = ["allOf", "anyOf", "oneOf", "not", "if", "dependentSchemas", "dependencies"];
/** Every value that is neither an object nor a list has the same steps. */
const anyScalar = Symbol();
const endless = { steps: Number.POSITIVE_INFINITY, depth: Number.POSITIVE_INFINITY };
type Count = { steps: number; depth: number };

/**
 * How many schemas a validator holds against an input and its parts, and how many of them within each other. Where two branches
 * of a recursive schema both continue into the same part, each level doubles the first: so every schema is counted
 * once for each part, and the count ends where it is over the most. @param known what `dereference` says of the schema
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
    // What comes back to itself at the same part has no end.
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
    // One of them alone is gone into.
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

type Held = [schema: unknown, value: unknown];

const heldHere = (known: KnownSchemas, node: Schema, value: unknown): Held[] =>
  [...targetOf(known, node), ...schemasUnder(node, samePlace)].map((schema) => [schema, value]);

function heldInside(node: Schema, value: unknown): Held[] {
  if (Array.isArray(value)) return value.flatMap((entry, place) => heldByEntry(node, entry, place));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, entry]) => heldByField(node, name, entry));
}

function heldByEntry(node: Schema, entry: unknown, place: number): Held[] {
  const ofPlace = [node.prefixItems, node.items].map((list) =>
    Array.isArray(list) ? list[place] : undefined,
  );
  const ofAll = [node.items, node.additionalItems, node.unevaluatedItems, node.contains].filter(
    isSchema,
  );
  return [...ofPlace, ...ofAll].flatMap((schema): Held[] =>
    schema === undefined ? [] : [[schema, entry]],
  );
}

function heldByField(node: Schema, name: string, entry: unknown): Held[] {
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
  const held = [...own, ...rest].map((schema): Held => [schema, entry]);
  return isSchema(node.propertyNames) ? [...held, [node.propertyNames, name]] : held;
}
