import { type Graph, isLink } from "./graph.ts";
import { findPrompts, isSame, type Place } from "./prompts.ts";

/** A literal that a form may ask for, under a name of its own. */
export type OpenInput = Place & { name: string; value: string | number | boolean };

const isSeed = (input: string, value: unknown) =>
  /^(noise_)?seed$/.test(input) && typeof value === "number";

/**
 * Every literal of a graph by the name it has in the form: `prompt`, `negative_prompt` and `seed` for what plays these parts
 * (the rest of the program knows these names), else the input's own name, with the node's id where several nodes have it.
 * It follows from the graph alone, so that a form and what is sent from it always agree.
 */
export function openInputs(graph: Graph): OpenInput[] {
  const literals = Object.entries(graph).flatMap(([nodeId, { inputs }]) =>
    Object.entries(inputs).flatMap(([input, value]) =>
      isLiteral(value) ? [{ nodeId, input, value }] : [],
    ),
  );
  const { prompt, negative } = findPrompts(graph);
  const seed = literals.find(({ input, value }) => isSeed(input, value));
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

const isLiteral = (value: unknown): value is OpenInput["value"] =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean";

const toName = (text: string) => text.replace(/[^\p{L}\p{N}_]+/gu, "_");

/** The nodes that some output needs: ComfyUI runs no other. */
export function neededBy(graph: Graph, outputs: readonly string[]): Set<string> {
  const needed = new Set<string>();
  const waiting = [...outputs];
  for (let nodeId = waiting.pop(); nodeId !== undefined; nodeId = waiting.pop()) {
    if (needed.has(nodeId)) continue;
    needed.add(nodeId);
    for (const value of Object.values(graph[nodeId]?.inputs ?? {}))
      if (isLink(value)) waiting.push(value[0]);
  }
  return needed;
}
