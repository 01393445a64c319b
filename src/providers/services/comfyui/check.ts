import { sentences } from "#contract/sentences/index.ts";
import { type Graph, isLink, type Link, namesIn } from "./graph.ts";
import type { InputInfo, NodeInfos } from "./node-info.ts";

/**
 * Returns which outputs of a graph a server with these nodes can make, and why it can't make the
 * first of the others, in terms of the graph. The checks are those of the server before it queues a
 * job (execution.py, validate_inputs): upstream from each output, where an output that can't be
 * made is left out as long as another can. A value that a person can still choose in the form isn't
 * a fault.
 */
export function checkOutputs(
  graph: Graph,
  infos: NodeInfos,
): { made: string[]; fault: string | null } {
  const nameOf = namesIn(graph);
  const checked = new Map<string, string | null>();

  /** Returns the first fault of a node or of its inputs. */
  function faultOf(nodeId: string, path: readonly string[]): string | null {
    const known = checked.get(nodeId);
    if (known !== undefined) return known;
    const at = path.indexOf(nodeId);
    if (at >= 0)
      return sentences.workflows.cycle({
        nodes: [...path.slice(at), nodeId].map((id) => `“${nameOf(id)}”`).join(" → "),
      });
    const fault = ownFault(nodeId) ?? faultUpstream(nodeId, [...path, nodeId]);
    checked.set(nodeId, fault);
    return fault;
  }

  function faultUpstream(nodeId: string, path: readonly string[]): string | null {
    for (const value of Object.values(graph[nodeId]!.inputs)) {
      const fault = isLink(value) ? faultOf(value[0], path) : null;
      if (fault) return fault;
    }
    return null;
  }

  function ownFault(nodeId: string): string | null {
    const { class_type: type, inputs } = graph[nodeId]!;
    for (const [input, info] of infos.get(type)!.inputs) {
      const value = inputs[input];
      const fault =
        value === undefined
          ? info.isRequired && !isDynamic(info.type)
            ? sentences.workflows.inputMissing({ node: nameOf(nodeId), input: wordsOf(input) })
            : null
          : isLink(value)
            ? linkFault(nodeId, input, info, value)
            : choiceFault(nodeId, input, info);
      if (fault) return fault;
    }
    return null;
  }

  function linkFault(
    nodeId: string,
    input: string,
    info: InputInfo,
    [from, index]: Link,
  ): string | null {
    const { outputs } = infos.get(graph[from]!.class_type)!;
    const given = outputs[index];
    const link = { node: nameOf(nodeId), input: wordsOf(input), from: nameOf(from) };
    if (given === undefined)
      return sentences.workflows.outputMissing({ ...link, output: index + 1 });
    return isTaken(given, info.type)
      ? null
      : sentences.workflows.wrongLink({ ...link, given, wanted: info.type });
  }

  /** A missing file can be chosen again, unless there are none at all. */
  function choiceFault(nodeId: string, input: string, info: InputInfo): string | null {
    const isEmpty = info.choices?.length === 0 && !isUpload(info) && !info.facts.remote;
    return isEmpty
      ? sentences.workflows.nothingToChoose({ node: nameOf(nodeId), input: wordsOf(input) })
      : null;
  }

  const made: string[] = [];
  let first: string | null = null;
  for (const id of Object.keys(graph)) {
    if (!infos.get(graph[id]!.class_type)?.isOutput) continue;
    const fault = faultOf(id, []);
    if (fault) first ??= fault;
    else made.push(id);
  }
  return { made, fault: first };
}

const wordsOf = (input: string): string => input.replaceAll("_", " ");

/** Only the node itself knows the names of its inputs: /object_info doesn't contain them. */
const isDynamic = (type: string): boolean => /^COMFY_\w+_V\d+$/.test(type);

const isUpload = ({ facts }: InputInfo): boolean =>
  Object.entries(facts).some(([fact, value]) => /_upload$/.test(fact) && value === true) ||
  facts.remote_combo === true;

/**
 * Types are names, possibly several separated by commas. "*" and the types that follow another
 * input match any type.
 */
function isTaken(given: string, wanted: string): boolean {
  const named = (types: string): string[] => types.split(",").map((type) => type.trim());
  const isAny = (types: string): boolean =>
    named(types).some((type) => type === "*" || isDynamic(type));
  return isAny(given) || isAny(wanted) || named(given).some((type) => named(wanted).includes(type));
}
