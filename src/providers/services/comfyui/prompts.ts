import { type Graph, isLink, type Link } from "./graph.ts";

/** A literal of a node. */
export type Place = { nodeId: string; input: string };

export const isSame = (a: Place | undefined, b: Place): boolean =>
  a?.nodeId === b.nodeId && a.input === b.input;

/** Inputs that contain text, and inputs that lead to it. */
const words = /^(text|prompt|string|value|text_g|t5xxl|clip_l|caption|lyrics|tags)$/;
const leads = /text|prompt|string|value|cond|positive|negative|guider/;

/**
 * Finds the literals for the prompt and the negative prompt: the texts that lead to the `positive`
 * and `negative` inputs of samplers and guiders, or else the only text. If both come from one text
 * (a zeroed-out copy), that is the prompt.
 */
export function findPrompts(graph: Graph): { prompt?: Place; negative?: Place } {
  const prompt =
    findRole(graph, "positive") ?? findRole(graph, "conditioning") ?? onlyTextInput(graph);
  const negative = findRole(graph, "negative");
  return { ...(prompt && { prompt }), ...(negative && !isSame(prompt, negative) && { negative }) };
}

function findRole(graph: Graph, role: "positive" | "negative" | "conditioning"): Place | undefined {
  for (const { inputs } of Object.values(graph)) {
    const link = inputs[role];
    const found = isLink(link) ? follow(graph, link, role) : undefined;
    if (found) return found;
  }
  return undefined;
}

/**
 * Returns the nearest upstream node with text of its own. Through nodes with both sides, the search
 * stays on its own.
 */
function follow(graph: Graph, from: Link, role: string): Place | undefined {
  const waiting = [from];
  const seen = new Set<string>();
  for (let link = waiting.shift(); link; link = waiting.shift()) {
    const [nodeId] = link;
    const node = graph[nodeId];
    if (!node || seen.has(nodeId)) continue;
    seen.add(nodeId);
    const input = Object.keys(node.inputs).find(
      (name) => words.test(name) && typeof node.inputs[name] === "string",
    );
    if (input) return { nodeId, input };
    const own = node.inputs[role];
    if (isLink(own)) waiting.push(own);
    else
      for (const [name, value] of Object.entries(node.inputs))
        if (isLink(value) && leads.test(name)) waiting.push(value);
  }
  return undefined;
}

function onlyTextInput(graph: Graph): Place | undefined {
  const places = Object.entries(graph).flatMap(([nodeId, { inputs }]) =>
    Object.keys(inputs).flatMap((input) =>
      words.test(input) && typeof inputs[input] === "string" ? [{ nodeId, input }] : [],
    ),
  );
  return places.length === 1 ? places[0] : undefined;
}
