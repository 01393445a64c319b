import type { NodeType } from "./nodes.ts";

export type Graph = Record<
  string,
  { class_type: string; inputs: Record<string, unknown>; _meta?: { title?: string } }
>;
type Fault = {
  type: string;
  message: string;
  details: string;
  extra_info: Record<string, unknown>;
};
export type Validated =
  | { outputs: string[]; nodeErrors: Record<string, unknown> }
  | { error: Fault; nodeErrors: Record<string, unknown> };

const isLink = (value: unknown): value is [string, number] =>
  Array.isArray(value) &&
  value.length === 2 &&
  typeof value[0] === "string" &&
  typeof value[1] === "number";

/**
 * What execution.py does before a prompt is queued: invalid outputs are left out, and without any
 * valid one the prompt is refused.
 */
export function validate(
  graph: Graph,
  types: Record<string, NodeType>,
  hasFile: (name: string) => boolean,
): Validated {
  for (const [id, node] of Object.entries(graph)) {
    if (!types[node.class_type]) {
      const error = fault(
        "missing_node_type",
        `Node '${node._meta?.title ?? node.class_type}' not found. The custom node may not be installed.`,
        `Node ID '#${id}'`,
      );
      return {
        error: { ...error, extra_info: { node_id: id, class_type: node.class_type } },
        nodeErrors: {},
      };
    }
  }
  const circle = findCircle(graph);
  if (circle)
    return {
      error: fault("prompt_outputs_failed_validation", "Prompt outputs failed validation", ""),
      nodeErrors: {
        [circle]: {
          errors: [of("dependency_cycle", "Dependency cycle detected", circle, "")],
          dependent_outputs: [],
          class_type: graph[circle]!.class_type,
        },
      },
    };
  const all = Object.keys(graph).filter((id) => types[graph[id]!.class_type]!.isOutput);
  if (all.length === 0)
    return { error: fault("prompt_no_outputs", "Prompt has no outputs", ""), nodeErrors: {} };
  const nodeErrors: Record<string, unknown> = {};
  const outputs = all.filter((output) => {
    const wrong = Object.entries(collect(graph, output, types, hasFile));
    for (const [id, errors] of wrong)
      nodeErrors[id] = { errors, dependent_outputs: [output], class_type: graph[id]!.class_type };
    return wrong.length === 0;
  });
  if (outputs.length > 0) return { outputs, nodeErrors };
  return {
    error: fault("prompt_outputs_failed_validation", "Prompt outputs failed validation", ""),
    nodeErrors,
  };
}

const fault = (type: string, message: string, details: string): Fault => ({
  type,
  message,
  details,
  extra_info: {},
});

/** Finds a node that depends on itself. */
function findCircle(graph: Graph): string | undefined {
  const needs = (from: string, seen: Set<string>): Set<string> => {
    for (const value of Object.values(graph[from]?.inputs ?? {})) {
      if (!isLink(value) || seen.has(value[0])) continue;
      seen.add(value[0]);
      needs(value[0], seen);
    }
    return seen;
  };
  return Object.keys(graph).find((id) => needs(id, new Set()).has(id));
}

/** The faults of a node and of all its dependencies, by node. */
function collect(
  graph: Graph,
  start: string,
  types: Record<string, NodeType>,
  hasFile: (name: string) => boolean,
): Record<string, Fault[]> {
  const found: Record<string, Fault[]> = {};
  const waiting = [start];
  const seen = new Set<string>();
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    const node = graph[id];
    if (seen.has(id) || !node) continue;
    seen.add(id);
    const type = types[node.class_type]!;
    const errors = Object.entries(type.required).flatMap(([name, [kind, facts = {}]]): Fault[] => {
      const value = node.inputs[name];
      if (value === undefined)
        return [of("required_input_missing", "Required input is missing", name, name)];
      if (isLink(value)) {
        waiting.push(value[0]);
        const given = types[graph[value[0]]?.class_type ?? ""]?.output[value[1]];
        return given === kind || kind === "*"
          ? []
          : [
              of(
                "return_type_mismatch",
                "Return type mismatch between linked nodes",
                `${name}, received_type(${given}) mismatch input_type(${kind})`,
                name,
              ),
            ];
      }
      return checkLiteral(name, value, kind, facts, hasFile);
    });
    if (errors.length > 0) found[id] = errors;
  }
  return found;
}

const of = (type: string, message: string, details: string, input: string): Fault => ({
  type,
  message,
  details,
  extra_info: { input_name: input },
});

function checkLiteral(
  name: string,
  value: unknown,
  kind: unknown,
  facts: Record<string, unknown>,
  hasFile: (name: string) => boolean,
): Fault[] {
  if (facts.image_upload || facts.audio_upload) {
    return hasFile(String(value))
      ? []
      : [
          of(
            "custom_validation_failed",
            "Custom validation failed for node",
            `${name} - Invalid file: ${value}`,
            name,
          ),
        ];
  }
  const choices = Array.isArray(kind)
    ? kind
    : kind === "COMBO"
      ? (facts.options as unknown[])
      : null;
  if (choices)
    return choices.includes(value)
      ? []
      : [
          of(
            "value_not_in_list",
            "Value not in list",
            `${name}: '${value}' not in ${JSON.stringify(choices)}`,
            name,
          ),
        ];
  if (kind === "INT" || kind === "FLOAT") {
    const number = Number(value);
    if (Number.isNaN(number) || value === "")
      return [
        of(
          "invalid_input_type",
          `Failed to convert an input value to a ${kind} value`,
          `${name}, ${value}`,
          name,
        ),
      ];
    if (typeof facts.min === "number" && number < facts.min)
      return [
        of(
          "value_smaller_than_min",
          `Value ${number} smaller than min of ${facts.min}`,
          name,
          name,
        ),
      ];
    if (typeof facts.max === "number" && number > facts.max)
      return [
        of("value_bigger_than_max", `Value ${number} bigger than max of ${facts.max}`, name, name),
      ];
  }
  return [];
}
