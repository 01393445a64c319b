import { Problem } from "#contract/errors.ts";
import type { Json, JsonObject } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import { sentences } from "#contract/sentences/index.ts";
import { isRecord } from "../../wire/error-fields.ts";

type Node = {
  class_type: string;
  inputs: { [input: string]: Json };
  _meta?: { title: string };
};

/** A workflow in the form of POST /prompt ("API format"): nodes by id. */
export type Graph = { [nodeId: string]: Node };

/** An input from another node: the node's id, and the index of its output. */
export type Link = [nodeId: string, output: number];

export const isLink = (value: Json | undefined): value is Link =>
  Array.isArray(value) &&
  value.length === 2 &&
  typeof value[0] === "string" &&
  typeof value[1] === "number";

/** Returns a node's name for people: the title they gave it, or else its type. */
export const titleOf = (graph: Graph, nodeId: string): string =>
  graph[nodeId]?._meta?.title || graph[nodeId]?.class_type || nodeId;

/** Returns a function that names nodes, with the id if several share a name. */
export function namesIn(graph: Graph): (nodeId: string) => string {
  const counts = new Map<string, number>();
  for (const id of Object.keys(graph)) {
    const title = titleOf(graph, id);
    counts.set(title, (counts.get(title) ?? 0) + 1);
  }
  return (nodeId) => {
    const title = titleOf(graph, nodeId);
    return (counts.get(title) ?? 0) > 1 ? `${title}, node ${nodeId}` : title;
  };
}

const refuse = (message: string) => new Problem("invalid_input", { field: "workflow", message });
const howToSave = sentences.workflows.howToSave;

/**
 * Parses the graph in a person's file.
 * @throws Problem invalid_input that says what to do
 */
export function parseGraph(text: string): Graph {
  if (Buffer.byteLength(text) > limits.workflowBytes)
    throw new Problem("too_large", { field: "workflow", message: tooLarge });
  const parsed = unwrap(parse(text));
  if (!isRecord(parsed)) throw refuse(`This is JSON, but no workflow. ${howToSave}`);
  if (Array.isArray(parsed.nodes)) {
    throw refuse(
      `This workflow is in the format of ComfyUI's editor, which can't be run from outside. ${howToSave}`,
    );
  }
  const entries = Object.entries(parsed);
  if (entries.length === 0) throw refuse(sentences.workflows.noNodes);
  if (entries.length > limits.workflowNodes)
    throw refuse(sentences.workflows.tooManyNodes({ limit: limits.workflowNodes }));
  const graph: Graph = Object.fromEntries(entries.map(([id, node]) => [id, toNode(id, node)]));
  for (const [id, { inputs }] of Object.entries(graph)) {
    const missing = Object.values(inputs).find(
      (value) => isLink(value) && !Object.hasOwn(graph, value[0]),
    );
    if (missing) throw refuse(sentences.workflows.missingNode({ node: titleOf(graph, id), id }));
  }
  return graph;
}

const tooLarge = sentences.workflows.tooLarge({ kilobytes: limits.workflowBytes / 1024 });

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw refuse(`This is not JSON. ${howToSave}`);
  }
}

/** Scripts save the whole body of POST /prompt. */
const unwrap = (parsed: unknown): unknown =>
  isRecord(parsed) && isRecord(parsed.prompt) && !("class_type" in parsed) ? parsed.prompt : parsed;

function toNode(id: string, node: unknown): Node {
  if (!isRecord(node) || typeof node.class_type !== "string" || !isRecord(node.inputs)) {
    throw refuse(
      `The entry “${id.slice(0, 60)}” is not a node: it has no class_type or no inputs. ${howToSave}`,
    );
  }
  const title =
    isRecord(node._meta) && typeof node._meta.title === "string"
      ? node._meta.title.slice(0, 200)
      : "";
  return {
    class_type: node.class_type,
    inputs: node.inputs as JsonObject,
    ...(title && { _meta: { title } }),
  };
}
