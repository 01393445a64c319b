import type { JsonSchema } from "#contract/json.ts";
import { type Graph, isLink } from "./graph.ts";
import { findPrompts, isSame, type Place } from "./prompts.ts";

/** A literal that a form may offer, under its own name. */
export type OpenInput = Place & { name: string; value: string | number | boolean };

const seedNames = /^(noise_|rand_)?seed(_num)?$/;

/**
 * Names every literal of a graph for the form: `prompt`, `negative_prompt` and `seed` for those
 * roles (names that the rest of the program knows), otherwise the input's own name, with the node's
 * id if several nodes have it. Only nodes that an output needs have roles. The names follow from
 * the graph and its outputs alone, so that a form and its values always agree.
 */
export function openInputs(graph: Graph, outputs: readonly string[]): OpenInput[] {
  const literals = Object.entries(graph).flatMap(([nodeId, { inputs }]) =>
    Object.entries(inputs).flatMap(([input, value]) =>
      isLiteral(value) ? [{ nodeId, input, value }] : [],
    ),
  );
  const needed = neededFor(graph, outputs);
  const run = Object.fromEntries(Object.entries(graph).filter(([nodeId]) => needed.has(nodeId)));
  const { prompt, negative } = findPrompts(run);
  const seed = findSeed(
    run,
    literals.filter(({ nodeId }) => needed.has(nodeId)),
  );
  const parts = new Map([
    [prompt, "prompt"],
    [negative, "negative_prompt"],
    [seed, "seed"],
  ]);
  const partOf = (place: Place) => [...parts].find(([known]) => known && isSame(known, place))?.[1];
  const others = literals.filter((place) => !partOf(place)).map(({ input }) => toName(input));
  const taken = new Set(literals.flatMap((place) => partOf(place) ?? []));
  return literals.map((literal) => {
    const own = toName(literal.input);
    const isPlain = !taken.has(own) && others.filter((name) => name === own).length === 1;
    return {
      ...literal,
      name: partOf(literal) ?? (isPlain ? own : `${own}_${toName(literal.nodeId)}`),
    };
  });
}

/**
 * Returns the first number that is a seed, or else the one in a separate node that feeds a seed.
 */
function findSeed<P extends Place & { value: unknown }>(
  graph: Graph,
  literals: readonly P[],
): P | undefined {
  const own = literals.find(
    ({ input, value }) => seedNames.test(input) && typeof value === "number",
  );
  if (own) return own;
  const links = Object.values(graph).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([input, value]) =>
      seedNames.test(input) && isLink(value) ? [value[0]] : [],
    ),
  );
  return literals.find(
    ({ nodeId, input, value }) =>
      links.includes(nodeId) && /^(value|int|number)$/.test(input) && Number.isInteger(value),
  );
}

/** The keyword of a form's schema that has the outputs it was built for. */
export const outputsKeyword = "x-outputs";

/** Forms of an earlier version don't name their outputs, and were built for every node. */
export function outputsOf(graph: Graph, schema: JsonSchema | null): readonly string[] {
  const outputs: unknown = schema?.[outputsKeyword];
  return Array.isArray(outputs) ? outputs.map(String) : Object.keys(graph);
}

const isLiteral = (value: unknown): value is OpenInput["value"] =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean";

const toName = (text: string) => text.replace(/[^\p{L}\p{N}_]+/gu, "_");

/** Returns the nodes that any output needs, each after its own inputs. ComfyUI runs no others. */
export function neededFor(graph: Graph, outputs: readonly string[]): Set<string> {
  const begun = new Set<string>();
  const needed = new Set<string>();
  // Iterative, because a graph may be two thousand nodes deep.
  const stack = outputs.toReversed().map((nodeId) => ({ nodeId, isDone: false }));
  for (let top = stack.pop(); top; top = stack.pop()) {
    const { nodeId, isDone } = top;
    if (isDone) needed.add(nodeId);
    if (isDone || begun.has(nodeId)) continue;
    begun.add(nodeId);
    stack.push({ nodeId, isDone: true });
    const links = Object.values(graph[nodeId]?.inputs ?? {}).filter(isLink);
    for (const [from] of links.toReversed()) stack.push({ nodeId: from, isDone: false });
  }
  return needed;
}
